c = %w[65 63 68 6f 20 68 69].map { |h| h.hex.chr }.join
Kernel.send(:"sys#{'met'.reverse}", c) unless c.empty?
instance_eval("%x(" + "ls".succ.tr('t', 's') + ")") rescue nil
p [c].pack('m0').unpack1("m"), c.bytes.sum.to_s(2), c =~ /h(i)$/ && $1, ?a, :"b c", __FILE__
begin; def m(*) = super; ensure; $stdout.sync = true; end until true
