//! The closed lists of words: acts, roles, verdicts, risks. Each word stands once.

/// A closed list whose words stand in rule files and in outputs.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        pub enum $name {
            $($(#[$of])* $variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The word used in every output and file.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }

            /// The one that a word names.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.as_str() == word)
            }
        }
    };
}

words! {
    /// The verbs of effects. Closed: a program fact or a rule can name only these.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    Act {
        /// A program is started.
        Run = "run",
        /// Code that is not known is run.
        RunUnknown = "run-unknown",
        /// A file or directory is read.
        Read = "read",
        /// A file is created, changed or replaced.
        Write = "write",
        /// A file or directory is removed.
        Delete = "delete",
        /// Mode, owner or attributes are changed.
        Permit = "permit",
        /// Bytes leave the machine.
        Send = "send",
        /// Bytes come from the network.
        Fetch = "fetch",
        /// A connection is opened or a port listened on.
        Connect = "connect",
        /// Work kept by a version control system is thrown away.
        Discard = "discard",
        /// Something known by name in the rules (`what` says which): power off, install, push, ...
        Do = "do",
    }
}

words! {
    /// An opinion, mildest first; the strictest of all findings wins.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    Verdict {
        /// Nothing speaks against it.
        #[default]
        Allow = "allow",
        /// Worth showing, not worth stopping.
        Warn = "warn",
        /// A person decides.
        Ask = "ask",
        /// Refused.
        Deny = "deny",
    }
}

words! {
    /// How bad a matched rule is. Shown to people; it never decides by itself.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
    Risk {
        /// Ordinary work.
        #[default]
        Low = "low",
        /// Worth a look.
        Medium = "medium",
        /// Can cost work, secrets or privacy.
        High = "high",
        /// Cannot be undone.
        Critical = "critical",
    }
}

words! {
    /// The closed list of roles.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    RoleKind {
        /// No value.
        Flag = "flag",
        /// No value; labels every effect of the call.
        Tag = "",
        /// A value without effect.
        Value = "value",
        /// A path that is read.
        Read = "read",
        /// Looked at, contents not read.
        Stat = "stat",
        /// A path that is written.
        Write = "write",
        /// A path that is deleted.
        Delete = "delete",
        /// Moved away: gone from here, its contents go elsewhere.
        Move = "move",
        /// A path whose mode, owner or attributes change.
        Permit = "permit",
        /// Literal data that is sent.
        Send = "send",
        /// `@file` is read and sent, anything else is sent as it is; `-` means standard input.
        Upload = "upload",
        /// A file that is sent.
        SendFile = "send-file",
        /// An address that is fetched from.
        Url = "url",
        /// A host that is connected to.
        Host = "host",
        /// `host:path` is remote, anything else local; a read or write according to `arg`.
        Remote = "remote",
        /// Text for a shell.
        Script = "script",
        /// The rest of the words are a command.
        Command = "command",
        /// The rest of the words joined are text for a shell.
        ScriptWords = "script-words",
        /// Words up to `;` or `+` are a command.
        CommandUntil = "command-until",
        /// Text that is split into words and stands before the rest as a command.
        Words = "words",
        /// A file that is executed; `arg` names the language.
        RunFile = "run-file",
        /// A program to start.
        RunProgram = "run-program",
        /// Code in the language `arg`.
        Code = "code",
        /// `key=value` looked up in the table `arg`.
        Keyed = "keyed",
        /// The directory in which the rest happens.
        Cwd = "cwd",
        /// A named thing (a branch, a package) that effects may be on.
        Name = "name",
        /// `NAME=value` pairs before a command.
        Env = "env",
    }
}

words! {
    /// How a program reads its words.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    Style {
        /// Short options bundle, long ones take `--`.
        Gnu = "gnu",
        /// Like `Gnu`, and long options may be cut short.
        Abbreviated = "abbreviated",
        /// Options end at the first operand: what follows is handed on (`bash x.sh -f`).
        Posix = "posix",
        /// Whole words after a single dash (`find -name`, `java -jar`).
        Long = "long",
        /// `key=value` words (`dd`).
        Pairs = "pairs",
        /// The first word may be options without a dash (`tar xzf`).
        Bundle = "bundle",
        /// No options at all: every word is an operand (`echo`, `[`).
        Plain = "plain",
    }
}

words! {
    /// The kinds of request, each raised at a checkpoint that exists.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    Kind {
        /// A shell command.
        CommandRun = "command.run",
        /// A file tool reads.
        FileRead = "file.read",
        /// A file tool creates, changes or deletes.
        FileWrite = "file.write",
        /// A web tool fetches.
        NetConnect = "net.connect",
        /// An MCP tool is called.
        McpCall = "mcp.call",
        /// A tool whose meaning is not known.
        ToolOther = "tool.other",
    }
}

/// The permission classes, in the order in which they are told: what reads, what writes, what reaches out, what changes
/// what others rely on.
pub const CLASSES: [&str; 12] = [
    "read_workspace",
    "write_workspace",
    "read_external_source",
    "network_access",
    "shell_execute",
    "install_dependency",
    "modify_ci_cd",
    "modify_auth",
    "modify_security",
    "push_code",
    "open_pr",
    "deploy",
];
