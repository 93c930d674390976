//! Gemini CLI, Qwen Code, Copilot CLI, OpenCode and Cline, each in its most permissive mode.

use std::fs;
use std::path::Path;
use std::process::Command;

use agents::json::Json;

use crate::clients::{Client, node};
use crate::model::{Model, Step};
use crate::namespace::alone;
use crate::stage::{BROKEN, KEY, Stage, assert_stopped, heard};

/// One client: how it is started, and how its model calls the tools that all of them have.
struct Driven {
    name: &'static str,
    client: Client,
    start: fn(&Stage, &Path, &Model) -> Command,
    shell: fn(&str) -> Step,
    write: fn(&str, &str) -> Step,
    read: fn(&str) -> Step,
    /// Whether a stop ends the run, and nobody is told why.
    ends: bool,
}

fn step(tool: &'static str, fields: &[(&str, &str)]) -> Step {
    let fields = fields
        .iter()
        .map(|(name, value)| ((*name).to_owned(), Json::String((*value).to_owned())));
    Step {
        tool,
        input: Json::Object(fields.collect()).text(),
    }
}

const GEMINI: Driven = Driven {
    name: "gemini",
    client: Client {
        package: "@google/gemini-cli",
        file: "bundle/gemini.js",
    },
    start: |stage, program, model| {
        stage.merge(".gemini/settings.json", r#"{"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"general":{"enableAutoUpdate":false},"security":{"auth":{"selectedType":"gemini-api-key"}}}"#);
        let mut client = stage.command(node());
        client
            .arg(program)
            .args([
                "-m",
                "gemini-2.5-flash",
                "--approval-mode",
                "yolo",
                "--output-format",
                "stream-json",
                "-p",
                "Do it.",
            ])
            // By itself it keeps its file tools within the project.
            .arg("--include-directories")
            .arg(&stage.home)
            .env("GEMINI_API_KEY", "test-key")
            .env("GOOGLE_GEMINI_BASE_URL", &model.url)
            .env("GEMINI_CLI_TRUST_WORKSPACE", "true")
            .env("GEMINI_TELEMETRY_ENABLED", "false");
        client
    },
    shell: |text| step("run_shell_command", &[("command", text), ("description", "As asked")]),
    write: |path, text| step("write_file", &[("file_path", path), ("content", text)]),
    read: |path| step("read_file", &[("file_path", path)]),
    ends: false,
};

const QWEN: Driven = Driven {
    name: "qwen",
    client: Client {
        package: "@qwen-code/qwen-code",
        file: "cli-entry.js",
    },
    start: |stage, program, model| {
        stage.merge(".qwen/settings.json", r#"{"security":{"auth":{"selectedType":"openai"}},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"general":{"enableAutoUpdate":false}}"#);
        let mut client = stage.command(node());
        client
            .arg(program)
            .args(["--approval-mode", "yolo", "--output-format", "stream-json", "Do it."])
            .env("OPENAI_API_KEY", "test-key")
            .env("OPENAI_BASE_URL", format!("{}/v1", model.url))
            .env("OPENAI_MODEL", "scripted");
        client
    },
    shell: |text| {
        let Step { tool, input } = step("run_shell_command", &[("command", text), ("description", "As asked")]);
        Step {
            tool,
            input: input.replacen('{', "{\"is_background\":false,", 1),
        }
    },
    write: |path, text| step("write_file", &[("file_path", path), ("content", text)]),
    read: |path| step("read_file", &[("file_path", path)]),
    ends: false,
};

const COPILOT: Driven = Driven {
    name: "copilot",
    client: Client {
        package: "@github/copilot-linux-x64",
        file: "copilot",
    },
    start: |stage, program, model| {
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("agents-cache");
        fs::create_dir_all(&cache).unwrap();
        let mut client = stage.command(program);
        client
            .args(["-p", "Do it.", "--output-format", "json", "--no-color", "--allow-all"])
            .env("COPILOT_OFFLINE", "true")
            .env("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", model.url))
            .env("COPILOT_PROVIDER_API_KEY", "test-key")
            .env("COPILOT_PROVIDER_WIRE_API", "completions")
            .env("COPILOT_MODEL", "scripted")
            .env("COPILOT_AUTO_UPDATE", "false")
            // It unpacks itself there at its first start.
            .env("XDG_CACHE_HOME", cache);
        client
    },
    shell: |text| step("bash", &[("command", text), ("description", "As asked")]),
    write: |path, text| step("create", &[("path", path), ("file_text", text)]),
    read: |path| step("view", &[("path", path)]),
    ends: false,
};

const OPENCODE: Driven = Driven {
    name: "opencode",
    client: Client {
        package: "opencode-linux-x64",
        file: "bin/opencode",
    },
    start: |stage, program, model| {
        stage.write(
            ".config/opencode/opencode.json",
            &format!(
                r#"{{"provider":{{"scripted":{{"npm":"@ai-sdk/openai-compatible","options":{{"baseURL":"{}/v1","apiKey":"test-key"}},"models":{{"scripted":{{"tool_call":true,"cost":{{"input":0,"output":0}},"limit":{{"context":100000,"output":8000}}}}}}}}}},"model":"scripted/scripted","small_model":"scripted/scripted","autoupdate":false,"share":"disabled"}}"#,
                model.url
            ),
        );
        let mut client = stage.command(program);
        client.args(["run", "--format", "json", "--auto", "Do it."]);
        for name in ["MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD", "SHARE", "DEFAULT_PLUGINS"] {
            client.env(format!("OPENCODE_DISABLE_{name}"), "1");
        }
        // It asks npm for the types of plugins; there is no npm here.
        client.env("npm_config_fetch_retries", "0");
        client
    },
    shell: |text| step("bash", &[("command", text), ("description", "As asked")]),
    write: |path, text| step("write", &[("filePath", path), ("content", text)]),
    read: |path| step("read", &[("filePath", path)]),
    ends: false,
};

const CLINE: Driven = Driven {
    name: "cline",
    client: Client {
        package: "@cline/cli-linux-x64",
        file: "bin/cline",
    },
    start: |stage, program, model| {
        let mut login = stage.command(program);
        login
            .args([
                "auth",
                "--provider",
                "openai-compatible",
                "--apikey",
                "test-key",
                "--modelid",
                "scripted",
            ])
            .args(["--baseurl", &format!("{}/v1", model.url)]);
        quiet(&mut login);
        assert!(login.output().unwrap().status.success());
        let mut client = stage.command(program);
        client.args(["--json", "Do it."]);
        quiet(&mut client);
        client
    },
    shell: |text| Step {
        tool: "run_commands",
        input: Json::Object([("commands".to_owned(), Json::Array(vec![Json::String(text.to_owned())]))].into()).text(),
    },
    write: |path, text| step("editor", &[("path", path), ("new_text", text)]),
    read: |path| {
        let file = Json::Object([("path".to_owned(), Json::String(path.to_owned()))].into());
        Step {
            tool: "read_files",
            input: Json::Object([("files".to_owned(), Json::Array(vec![file]))].into()).text(),
        }
    },
    ends: true,
};

fn quiet(client: &mut Command) {
    for name in [
        "CLINE_TELEMETRY_DISABLED",
        "DO_NOT_TRACK",
        "TELEMETRY_DISABLED",
        "CLINE_NO_AUTO_UPDATE",
    ] {
        client.env(name, "1");
    }
}

/// Cline leaves a process behind that outlives its run.
fn end_daemons(stage: &Stage) {
    let project = stage.project().display().to_string();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        let pid = entry.file_name().to_string_lossy().parse().unwrap_or(0);
        if line.contains("--cline-hub-daemon") && line.contains(&project) && pid > 1 {
            let _gone = Command::new("kill").arg(pid.to_string()).status();
        }
    }
}

/// Lets the client carry out a script, and says what its model heard.
fn play(driven: &Driven, program: &Path, stage: &Stage, script: &[Step], sealed: bool) -> Vec<String> {
    if !driven.ends {
        let model = Model::start(script.to_vec());
        let client = (driven.start)(stage, program, &model);
        let output = stage.play(client, sealed);
        return heard(&model, script.len(), &output);
    }
    // Each call in a run of its own: the first stop would be the last call.
    let mut all = Vec::new();
    for step in script {
        let model = Model::start(vec![step.clone()]);
        let client = (driven.start)(stage, program, &model);
        let _output = stage.play(client, sealed);
        end_daemons(stage);
        all.push(
            model
                .heard()
                .pop()
                .unwrap_or_else(|| "Tollgate ended the run".to_owned()),
        );
    }
    all
}

fn without_the_gate(driven: &Driven, test: &str) {
    alone(test, &driven.client, |program| {
        let stage = Stage::new(&format!("{}-bare", driven.name));
        let script = [(driven.shell)("rm -rf ~/thesis.txt && echo gone")];
        let heard = play(driven, program, &stage, &script, false);
        assert!(heard[0].contains("gone"), "{heard:#?}");
        assert!(!stage.is_whole());
    });
}

fn where_it_would_do_harm(driven: &Driven, test: &str) {
    alone(test, &driven.client, |program| {
        let stage = Stage::new(driven.name);
        stage.tollgate(&format!("install --agent {}", driven.name));
        let at = |path: &str| stage.home.join(path).display().to_string();
        let script = [
            (driven.shell)("echo made > made.txt && echo fine"),
            (driven.shell)("rm -rf ~"),
            (driven.write)(&at(".bashrc"), "alias ls=true\n"),
            (driven.read)(&at(".ssh/id_rsa")),
            (driven.write)(&at("project/new.txt"), "alpha\n"),
            (driven.shell)("cd ~ && find . -delete"),
        ];
        let heard = play(driven, program, &stage, &script, false);
        assert!(stage.is_whole(), "{heard:#?}");
        assert!(heard[0].contains("fine"), "{heard:#?}");
        for stopped in [1, 2, 3, 5] {
            assert_stopped(&heard[stopped]);
        }
        assert!(!heard.iter().any(|text| text.contains(KEY.lines().nth(1).unwrap())));
        assert_eq!(stage.read("project/made.txt").as_deref(), Some("made\n"));
        assert_eq!(
            stage.read("project/new.txt").as_deref().map(str::trim_end),
            Some("alpha")
        );
        assert_eq!(stage.verdicts(), ["allow", "ask", "ask", "ask", "allow", "ask"]);
        stage.tollgate("log verify");
    });
}

fn where_nothing_can_be_recorded(driven: &Driven, test: &str) {
    alone(test, &driven.client, |program| {
        let stage = Stage::new(&format!("{} sealed", driven.name));
        stage.tollgate(&format!("install --agent {}", driven.name));
        let script = [(driven.shell)("echo made > made.txt"), (driven.shell)("rm -rf ~")];
        let heard = play(driven, program, &stage, &script, true);
        heard.iter().for_each(|text| assert_stopped(text));
        assert!(stage.is_whole() && stage.read("project/made.txt").is_none());
    });
}

/// A hook that cannot answer stops the call, whatever the client makes of failed hooks.
fn where_the_hook_fails(driven: &Driven, test: &str) {
    alone(test, &driven.client, |program| {
        for (name, text) in BROKEN {
            let stage = Stage::new(&format!("{}-{name}", driven.name));
            stage.tollgate(&format!("install --agent {}", driven.name));
            stage.replace_hook(text);
            let heard = play(
                driven,
                program,
                &stage,
                &[(driven.shell)("rm -rf ~/thesis.txt && echo gone")],
                false,
            );
            assert!(stage.is_whole(), "{name}: {heard:#?}");
        }
    });
}

macro_rules! driven {
    ($($module:ident: $driven:ident),*) => {$(
        mod $module {
            const HERE: &str = concat!("others::", stringify!($module));

            #[test]
            #[ignore = "needs the real client: cargo xtask test agents"]
            fn without_the_gate_it_does_as_its_model_says() {
                super::without_the_gate(&super::$driven, &format!("{HERE}::without_the_gate_it_does_as_its_model_says"));
            }

            #[test]
            #[ignore = "needs the real client: cargo xtask test agents"]
            fn it_is_stopped_where_it_would_do_harm() {
                super::where_it_would_do_harm(&super::$driven, &format!("{HERE}::it_is_stopped_where_it_would_do_harm"));
            }

            #[test]
            #[ignore = "needs the real client: cargo xtask test agents"]
            fn it_is_stopped_where_the_hook_fails() {
                super::where_the_hook_fails(&super::$driven, &format!("{HERE}::it_is_stopped_where_the_hook_fails"));
            }

            #[test]
            #[ignore = "needs the real client: cargo xtask test agents"]
            fn it_is_stopped_where_nothing_can_be_recorded() {
                super::where_nothing_can_be_recorded(
                    &super::$driven,
                    &format!("{HERE}::it_is_stopped_where_nothing_can_be_recorded"),
                );
            }
        }
    )*};
}

driven!(gemini: GEMINI, qwen: QWEN, copilot: COPILOT, opencode: OPENCODE, cline: CLINE);

/// It reads an escaped path, and looks for a relative file in all folders: both would lead to its own settings.
#[test]
#[ignore = "needs the real client: cargo xtask test agents"]
fn gemini_is_judged_by_the_path_that_it_reads() {
    alone(
        "others::gemini_is_judged_by_the_path_that_it_reads",
        &GEMINI.client,
        |program| {
            let stage = Stage::new("gemini-paths");
            stage.tollgate("install --agent gemini");
            let own = "project/.gemini/settings.json";
            stage.merge(own, r#"{"ui":{"hideTips":true}}"#);
            let before = stage.read(own);
            let script = [
                (GEMINI.write)(".g%65mini/settings.json", "{}"),
                step(
                    "replace",
                    &[
                        ("file_path", "settings.json"),
                        ("instruction", "As asked"),
                        ("old_string", "hideTips"),
                        ("new_string", "hideTop"),
                    ],
                ),
                (GEMINI.write)("@types/a.d.ts", "alpha\n"),
            ];
            let heard = play(&GEMINI, program, &stage, &script, false);
            heard[..2].iter().for_each(|text| assert_stopped(text));
            assert_eq!(stage.read(own), before, "{heard:#?}");
            assert_eq!(stage.verdicts(), ["ask", "ask", "allow"]);
        },
    );
}

/// With some models it has a tool for patches, whose input is the patch and no object.
#[test]
#[ignore = "needs the real client: cargo xtask test agents"]
fn copilot_is_stopped_in_a_patch() {
    alone("others::copilot_is_stopped_in_a_patch", &COPILOT.client, |program| {
        let stage = Stage::new("copilot-patch");
        stage.tollgate("install --agent copilot");
        let patch = |file: &str| {
            let patch = format!("*** Begin Patch\n*** Add File: {file}\n+alpha\n*** End Patch\n");
            step("apply_patch", &[("input", &patch)])
        };
        let script = [patch("new.txt"), patch(".github/hooks/x.json")];
        let model = Model::start(script.to_vec());
        let mut client = (COPILOT.start)(&stage, program, &model);
        client.env("COPILOT_MODEL", "gpt-5.2-codex");
        let output = stage.play(client, false);
        let heard = heard(&model, script.len(), &output);
        assert_stopped(&heard[1]);
        assert_eq!(
            stage.read("project/new.txt").as_deref().map(str::trim_end),
            Some("alpha"),
            "{heard:#?}"
        );
        assert_eq!(stage.read("project/.github/hooks/x.json"), None);
        assert_eq!(stage.verdicts(), ["allow", "ask"]);
    });
}
