import base64 as b, subprocess
parts = ["ZWNo", "byBo", "aQ=="]
def run(*words, **kw):
    return subprocess.run(list(words), check=True, **kw)
for cmd in [b.b64decode("".join(parts)).decode(), "ls " * 3, "%s -l %s" % ("ls", "/tmp")]:
    run("sh", "-c", cmd)
getattr(__import__("o" + "s"), "sys" "tem")("echo " + chr(104) + "i"[::-1])
exec(compile("x = lambda n: n and x(n - 1)\nx(5)", "<s>", "exec"))
