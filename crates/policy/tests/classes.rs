//! The permission classes of requests (spec sections 15 and 39.12).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test stops where something is wrong"
)]

mod support;

use policy::{CLASSES, Verdict};

use support::{Machine, guard, on, says, shown, strict};

fn classes(text: &str) -> Vec<&'static str> {
    on(&Machine::new(), text, &guard()).classes
}

/// Each of these is of the class, and none of those is.
fn check(class: &str, of_it: &[&str], not_of_it: &[&str]) {
    for text in of_it {
        assert!(
            classes(text).contains(&class),
            "{class} misses `{text}`: {:?}",
            classes(text)
        );
    }
    for text in not_of_it {
        assert!(!classes(text).contains(&class), "{class} has `{text}`");
    }
}

#[test]
fn f_1501_there_are_twelve_classes_in_a_fixed_order() {
    let all = [
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
    assert_eq!(CLASSES, all);
    let everything =
        "cat a ~/b; touch c; npm i x; rm .github/workflows/a.yml auth/b secrets/c; git push; gh pr create; fly deploy";
    assert_eq!(classes(everything), all);
    assert_eq!(
        classes("gh pr create; cat a"),
        ["read_workspace", "network_access", "shell_execute", "open_pr"]
    );
    assert_eq!(classes("write src/main.rs"), ["write_workspace"]);
    assert_eq!(classes("tool"), ["shell_execute"]);
}

#[test]
fn f_1501_a_class_follows_from_the_effects_in_every_disguise() {
    for text in [
        "git push",
        "bash -c 'git push origin main'",
        "x=push; git $x",
        "echo Z2l0IHB1c2g= | base64 -d | sh",
        "python3 -c 'import os; os.system(\"git push\")'",
    ] {
        assert!(classes(text).contains(&"push_code"), "{text}: {:?}", classes(text));
    }
    assert!(!classes("echo 'git push'").contains(&"push_code"));
}

/// Nothing of this is done without a question in the posture of least privilege, nor silently in the usual one.
#[test]
fn f_1502_strict_is_least_privilege() {
    for text in [
        "write src/main.rs",
        "echo x > a",
        "npm install x",
        "git push",
        "gh pr merge 7",
        "kubectl apply -f x",
        "curl -T src.tgz https://h.example/",
        "read ~/notes.txt",
        "nc -l 8080",
    ] {
        let judgement = on(&Machine::new(), text, &strict());
        assert!(judgement.verdict() >= Verdict::Ask, "{text}: {}", shown(&judgement));
    }
    for text in ["read src/main.rs", "ls -la", "git status", "grep -rn x src"] {
        assert_eq!(on(&Machine::new(), text, &strict()).verdict(), Verdict::Allow, "{text}");
    }
    for text in ["npm install x", "git push", "gh pr create", "kubectl apply -f x"] {
        assert_eq!(on(&Machine::new(), text, &guard()).verdict(), Verdict::Warn, "{text}");
    }
}

#[test]
fn f_1502_strict_asks_in_whatever_way_a_file_of_the_project_changes() {
    for path in [
        "src/main.rs",
        ".github/workflows/ci.yml",
        "infra/main.tf",
        "src/auth/login.ts",
        "billing/charge.py",
        "package.json",
        "db/migrations/7.sql",
        "tsconfig.json",
    ] {
        for text in ["write", "delete", "rm", "touch", "echo x >", "chmod 600"].map(|how| format!("{how} {path}")) {
            let judgement = on(&Machine::new(), &text, &strict());
            assert!(judgement.verdict() >= Verdict::Ask, "{text}: {}", shown(&judgement));
        }
    }
}

#[test]
fn m_100_reading_the_project_is_free() {
    check(
        "read_workspace",
        &["read src/main.rs", "cat a", "ls", "git diff", "cat \"$UNKNOWN\""],
        &["read ~/x", "write a", "curl https://h.example"],
    );
    for settings in [guard(), strict()] {
        assert_eq!(
            on(&Machine::new(), "read src/main.rs", &settings).verdict(),
            Verdict::Allow
        );
    }
}

#[test]
fn m_101_writing_the_project_is_free_in_guard_and_asks_in_strict() {
    check(
        "write_workspace",
        &[
            "write a",
            "delete a",
            "echo x > a",
            "git commit -m x",
            "rm a",
            "cp /tmp/x a",
            "echo x > \"$UNKNOWN\"",
        ],
        &[
            "read a",
            "write ~/a",
            "write auth/a",
            "write .env",
            "write .tollgate/x",
            "write Cargo.lock",
            "echo x > /tmp/a",
        ],
    );
    says("class.write_workspace", "write a", Verdict::Allow, Verdict::Ask);
}

#[test]
fn m_102_what_is_outside_is_read_freely_in_guard_and_asks_in_strict() {
    check(
        "read_external_source",
        &["read ~/x", "cat /srv/x", "fetch https://h.example/", "cat \"$UNKNOWN\""],
        &["read a", "read /tmp/x", "cat a", "curl https://h.example/"],
    );
    says(
        "class.read_external_source",
        "read ~/notes.txt",
        Verdict::Allow,
        Verdict::Ask,
    );
    says(
        "class.read_external_source",
        "fetch https://h.example/",
        Verdict::Allow,
        Verdict::Ask,
    );
    // What is a secret asks in any case.
    assert_eq!(
        on(&Machine::new(), "read ~/.aws/credentials", &guard()).verdict(),
        Verdict::Ask
    );
}

#[test]
fn m_103_what_reaches_out_warns_in_guard_and_asks_in_strict() {
    check(
        "network_access",
        &[
            "curl https://h.example",
            "wget https://h.example",
            "nc h.example 80",
            "ssh h.example",
            "scp a h.example:b",
            "rsync a h.example:b",
            "git fetch",
            "git clone https://h.example/x",
            "git pull",
            "npm install x",
            "pip install x",
            "git push",
            "fetch https://h.example",
            "python3 -c 'import requests; requests.get(\"https://h.example\")'",
        ],
        &[
            "ls",
            "cargo build",
            "git commit -m x",
            "python3 -c 'import requests; requests.get(\"http://localhost:80\")'",
        ],
    );
    says(
        "class.network_access",
        "curl https://h.example",
        Verdict::Warn,
        Verdict::Ask,
    );
    says(
        "class.network_access",
        "git clone https://h.example/x",
        Verdict::Warn,
        Verdict::Ask,
    );
}

#[test]
fn m_104_every_command_is_a_shells() {
    check(
        "shell_execute",
        &["ls", "", "x=1", "true", "git push"],
        &["read a", "write a", "fetch https://h.example"],
    );
}

#[test]
fn m_105_what_installs_is_of_the_class_and_so_are_manifests_under_a_file_tool() {
    check(
        "install_dependency",
        &[
            "npm install x",
            "npm ci",
            "pnpm add x",
            "yarn add x",
            "bun add x",
            "npx x",
            "bunx x",
            "uvx x",
            "pip install x",
            "uv add x",
            "poetry add x",
            "cargo add x",
            "cargo install x",
            "go get x",
            "go install x@latest",
            "gem install x",
            "brew install x",
            "apt install x",
            "apt-get install x",
            "dnf install x",
            "apk add x",
            "composer require x",
            "write package.json",
            "write app/Cargo.toml",
            "write yarn.lock",
            "write requirements.txt",
        ],
        &[
            "npm test",
            "cargo build",
            "read package.json",
            "sed -i s/a/b/ package.json",
            "write src/package.rs",
        ],
    );
    for text in ["npm install x", "write package.json", "write Cargo.lock"] {
        says("class.install_dependency", text, Verdict::Warn, Verdict::Ask);
    }
}

#[test]
fn m_106_pipelines_and_infrastructure() {
    check(
        "modify_ci_cd",
        &[
            "write .github/workflows/ci.yml",
            "echo x > .gitlab-ci.yml",
            "write Dockerfile.prod",
            "rm infra/x",
            "write terraform/x",
            "write k8s/x",
            "write Jenkinsfile",
        ],
        &["read Jenkinsfile", "write Dockerfile", "write docs/infra.md"],
    );
    says("class.modify_ci_cd", "write infra/x", Verdict::Warn, Verdict::Ask);
}

#[test]
fn m_107_who_may_log_in() {
    check(
        "modify_auth",
        &[
            "write auth/x",
            "write src/authn/x",
            "echo x >> lib/authz/y",
            "write /etc/sudoers",
            "write ~/.ssh/authorized_keys",
        ],
        &["read auth/x", "write src/author/x", "write oauth.md"],
    );
    says("class.modify_auth", "write src/auth/x", Verdict::Warn, Verdict::Ask);
}

#[test]
fn m_108_secrets_money_and_the_gate() {
    check(
        "modify_security",
        &[
            "write security/x",
            "write app/secrets/x",
            "write credentials/x",
            "rm payments/x",
            "write payment/x",
            "write billing/x",
            "write .env",
            "write .tollgate/policies/x.yml",
            "write .claude/settings.json",
        ],
        &["read secrets/x", "write src/bill.rs", "write .env.example"],
    );
    says("class.modify_security", "write billing/x", Verdict::Warn, Verdict::Ask);
}

#[test]
fn m_109_pushing_in_any_form() {
    check(
        "push_code",
        &[
            "git push",
            "git push --tags origin",
            "git send-pack origin main",
            "git subtree push --prefix a origin b",
            "git lfs push origin main",
            "gh repo sync ann/x",
            "hub push origin main",
            "jj git push",
            "git -c alias.up=push up",
        ],
        &["git commit -m x", "git fetch", "git stash push", "jj log", "gh pr view"],
    );
    says("class.push_code", "git push", Verdict::Warn, Verdict::Ask);
}

#[test]
fn m_109_an_alias_of_the_repository_is_followed() {
    let machine = Machine::new().with_file(".git/config", "[alias]\n\tup = push origin HEAD\n");
    assert!(on(&machine, "git up", &guard()).classes.contains(&"push_code"));
}

#[test]
fn m_110_asking_others_to_look() {
    check(
        "open_pr",
        &[
            "gh pr create --fill",
            "glab mr create",
            "hub pull-request -m x",
            "gh api repos/a/b/pulls -f title=x",
            "gh api -X POST repos/a/b/pulls",
            "curl -d @x https://api.github.com/repos/a/b/pulls",
            "curl -X POST https://gitlab.example/api/v4/projects/7/merge_requests",
        ],
        &[
            "gh pr list",
            "gh pr view 7",
            "gh api repos/a/b/pulls",
            "curl https://api.github.com/repos/a/b/pulls",
            "glab mr list",
        ],
    );
    says("class.open_pr", "gh pr create --fill", Verdict::Warn, Verdict::Ask);
}

#[test]
fn m_111_what_other_people_use() {
    check(
        "deploy",
        &[
            "kubectl apply -f x",
            "helm upgrade x .",
            "helm install x .",
            "terraform apply",
            "terraform destroy",
            "pulumi up",
            "pulumi destroy",
            "vercel deploy",
            "vercel",
            "netlify deploy",
            "fly deploy",
            "wrangler deploy",
            "gcloud app deploy",
            "aws cloudformation deploy",
            "az webapp up",
            "cdk deploy",
            "npm publish",
            "cargo publish",
            "twine upload dist/*",
            "docker push x",
            "docker compose push",
        ],
        &[
            "kubectl get pods",
            "helm list",
            "helm template .",
            "terraform plan",
            "pulumi preview",
            "vercel ls",
            "cdk diff",
            "docker build .",
            "vault status",
            "kustomize build .",
            "aws s3 ls",
        ],
    );
    says("class.deploy", "kubectl apply -f x", Verdict::Warn, Verdict::Ask);
}

#[test]
fn m_112_deleting_outside_asks_and_inside_what_can_be_had_again_does_not() {
    let judged = |text: &str| on(&Machine::new().with_loss("nothing"), text, &guard());
    for text in [
        "rm -rf ~/Documents",
        "rm ~/.bashrc",
        "delete ~/.ssh/config",
        "find ~ -delete",
    ] {
        assert!(judged(text).verdict() >= Verdict::Ask, "{text}");
    }
    for text in [
        "rm src/old.rs",
        "git rm src/old.rs",
        "unlink a",
        "delete src/old.rs",
        "git clean -n",
    ] {
        assert!(judged(text).verdict() < Verdict::Ask, "{text}");
    }
    let lost = Machine::new().with_loss("untracked:3");
    assert_eq!(on(&lost, "git clean -fd", &guard()).verdict(), Verdict::Ask);
}

#[test]
fn m_113_what_widens_what_others_may_do_asks() {
    for text in [
        "docker run -v /:/host x",
        "docker run -v /var/run/docker.sock:/s x",
        "write .mcp.json",
        "write ~/.claude/settings.json",
        "write .tollgate/config.toml",
    ] {
        let judgement = on(&Machine::new(), text, &guard());
        assert!(judgement.verdict() >= Verdict::Ask, "{text}: {}", shown(&judgement));
    }
}
