//! Secrets and what looks like them.
#![allow(clippy::string_slice, reason = "the texts are cut at known characters")]

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::tables::{EXAMPLES, INPUTS_EXAMPLES, OPTION_EXAMPLES, VERBS_EXAMPLES};
use crate::{redact, visible};

/// What is around a token in the texts that an agent sends.
const PLACES: &[(&str, &str)] = &[
    ("", ""),
    ("echo ", " | wc -c"),
    ("curl -H 'X: ", "' https://example.org"),
    ("{\"a\":\"", "\"}"),
    ("line\\n", "\\nline"),
    ("see https://example.org/?q=", "&page=2"),
    ("ü", "ü"),
    ("(", ")"),
    ("x=%3D", ""),
    ("\x1b[31m", "\x1b[0m"),
];

#[test]
fn every_known_form_is_taken_out_wherever_it_stands() {
    assert!(EXAMPLES.len() >= 60, "{}", EXAMPLES.len());
    let mut bad = Vec::new();
    for (id, parts) in EXAMPLES {
        let token = parts.concat();
        for (before, after) in PLACES {
            let text = format!("{before}{token}{after}");
            // Some forms start with a character that an escape before them could be part of.
            let expected = format!("{before}[redacted:{id}]{after}");
            if redact(&text) != expected {
                bad.push(format!("{id}: {}", redact(&text)));
            }
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn the_start_of_a_known_form_is_none() {
    for (id, parts) in EXAMPLES {
        let token = parts.concat();
        let cut = &token[..8];
        assert_eq!(redact(cut), cut, "{id}");
    }
}

#[test]
fn every_option_of_the_table_is_understood() {
    for parts in OPTION_EXAMPLES.iter().chain(VERBS_EXAMPLES).chain(INPUTS_EXAMPLES) {
        let text = parts.concat();
        let out = redact(&text);
        assert!(!out.contains("hunter2"), "{text}: {out}");
        assert!(out.contains("[redacted:"), "{out}");
        let rest = text.split_once("hunter2").map_or("", |(_, rest)| rest);
        assert!(out.ends_with(rest), "{text}: {out}");
    }
}

/// `§` stands for the secret.
const NAMED: &[&str] = &[
    "PASSWORD=§",
    "export DB_PASSWORD=§",
    "export DB_PASSWORD='§'",
    "API_KEY=\"§\" ./run",
    "env GITHUB_TOKEN=§ gh api user",
    "docker run -e POSTGRES_PASSWORD=§ -d postgres",
    "AWS_SECRET_ACCESS_KEY=§ aws s3 ls",
    "password: §",
    "password: \"§\"",
    "  db_password: §  # changed in May",
    "{\"password\":\"§\"}",
    "{\"user\": \"ann\", \"password\": \"§\", \"n\": 1}",
    "{\\\"password\\\": \\\"§\\\"}",
    "{'secret': '§'}",
    "secret = '§'",
    "client_secret = \"§\"",
    "const apiKey = \"§\";",
    "let token = `§`;",
    "self.password = b\"§\"",
    "os.environ[\"API_TOKEN\"] = \"§\"",
    "config.secretKey := \"§\"",
    "'password' => '§',",
    "password = §",
    "spring.datasource.password=§",
    "//registry.npmjs.org/:_authToken=§",
    "_auth=§",
    "tool --password § --verbose",
    "tool --password=§ --verbose",
    "tool --password '§'",
    "tool --token=§",
    "tool --api-key \"§\"",
    "java -jar x.jar -password §",
    "vault login token=§",
    "kubectl create secret generic x --from-literal=password=§",
    "kubectl create secret generic x --from-literal=password='§'",
    "helm install x --set auth.password=§",
    "https://example.org/login?user=ann&password=§&next=1",
    "https://example.org/cb?access_token=§#top",
    "https://x.blob.core.windows.net/c?sv=2026&sig=§0123456789abcdef%2B%3D&se=1",
    "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=§;EndpointSuffix=core.windows.net",
    "Server=db;Database=x;User Id=sa;Password=§;",
    "postgres://ann:§@db.example.org/shop",
    "psql 'postgresql://ann:§@db:5432/shop?sslmode=require'",
    "mongodb+srv://ann:§@cluster0.example.org",
    "redis://:§@cache:6379/0",
    "git clone https://ann:§@git.example.org/x.git",
    "amqp://guest:§@mq//vhost",
    "http_proxy=http://ann:§@proxy:3128",
    "mysql://ann:§/withslash@db/shop",
    "curl -H 'Authorization: Bearer §' https://example.org",
    "curl -H \"Authorization: token §\" https://example.org",
    "Authorization: Basic §",
    "Proxy-Authorization: Basic §",
    "{\"Authorization\": \"Bearer §\"}",
    "headers={'Authorization': f'Bearer §'}",
    "-H 'X-Api-Key: §'",
    "-H 'X-Auth-Token: §'",
    "curl -u ann:§ https://example.org",
    "curl -uann:§ https://example.org",
    "curl --user 'ann:§' https://example.org",
    "curl --proxy-user ann:§ https://example.org",
    "http -a ann:§ example.org",
    "mysql -uroot -p§ shop",
    "mysqldump -u root -p'§' shop > x.sql",
    "/usr/bin/mysql -p§",
    "sshpass -p § ssh ann@host",
    "sshpass -p§ ssh ann@host",
    "docker login -u ann -p § registry.example.org",
    "redis-cli -a § ping",
    "unzip -P § a.zip",
    "7z a -p§ a.7z x",
    "openssl rsa -in k.pem -passin pass:§",
    "ldapsearch -x -D cn=x -w §",
    "machine example.org login ann password §",
    "CREATE USER ann WITH PASSWORD '§';",
    "ALTER USER ann IDENTIFIED BY '§';",
    "echo ${DB_PASSWORD:-§}",
    "PASSWORD_PROD=§",
    "TOKEN2=§",
    "passphrase=\"§\"",
    "gpg --batch --passphrase § -d x.gpg",
    "ansible-playbook -e ansible_become_pass=§ x.yml",
    "DB_PASS=§",
    "PGPASSWORD=§ psql",
    "MYSQL_PWD=§ mysql",
    "$env:API_TOKEN = \"§\"",
    "set PASSWORD=§",
    "A=1\\nPASSWORD=§\\nB=2",
    "npm config set //r.example.org/:_authToken §",
    "PGPASS=§",
    "AUTH=§ ./run",
    "PASS=§",
    "Server=db;uid=sa;pwd=§;Database=x",
    "Server=db;Uid=sa;Pwd=§;",
    "TOKEN=$(echo §)",
    "TOKEN=\"$(echo -n '§')\"",
    "TOKEN=$(printf '%s' § | tr -d x)",
    "read PASSWORD <<< §",
    "read -r TOKEN <<<'§'",
    "printf -v TOKEN %s §",
    "printf -v API_KEY '%s' '§'",
    "tool --pass §",
    "tool --pw §",
    "tool --pass=§",
    "tool --secret §",
    "tailscale up --authkey §",
    "tailscale up --auth-key=§",
    "netlify deploy --auth §",
    "curl --cert x:§ https://example.org",
    "curl -u ann:'§' https://example.org",
    "curl -u ann:\"§\" https://example.org",
    "smbclient -U ann%'§' //host/share",
    "curl -E me.pem:§ https://example.org",
    "wget --http-password § https://example.org",
    "wget --http-password=§ https://example.org",
    "zip -P§ a.zip x",
    "zip -r -P § a.zip x",
    "ssh-keygen -t ed25519 -N § -f k",
    "ssh-keygen -y -P '§' -f k",
    "useradd -m -p § ann",
    "twine upload -u ann -p § dist/x",
    "vercel deploy -t §",
    "mosquitto_pub -h x -u a -P § -t y -m z",
    "ipmitool -H x -U a -P § power status",
    "lftp -u ann,§ ftp.example.org",
    "aws configure set aws_secret_access_key §",
    "aws --profile x configure set aws_secret_access_key '§'",
    "rclone config create s3 s3 access_key_id a secret_access_key §",
    "poetry config pypi-token.pypi §",
    "poetry config http-basic.x ann §",
    "cargo login §",
    "vault login §",
    "vault login -no-print §",
    "vault kv put secret/x a=§",
    "vault kv put secret/x b=@file a='§'",
    "gh secret set X --body §",
    "gh secret set X -b§",
    "gh secret set X -b \"§\"",
    "gh secret set X --repo a/b --body=§",
    "fly secrets set KEY=§",
    "flyctl secrets set A=$A KEY=\"§\" --app x",
    "kubectl create secret generic x --from-literal=a=§",
    "kubectl create secret generic x --from-literal a='§'",
    "htpasswd -b f u §",
    "htpasswd -nbB u '§'",
    "rabbitmqctl change_password a §",
    "nmcli device wifi connect home password §",
    "nmcli con modify home wifi-sec.psk '§'",
    "bw unlock §",
    "bw unlock --raw '§'",
    "snyk auth §",
    "ngrok authtoken §",
    "ngrok config add-authtoken §",
    "echo § | docker login --password-stdin -u ann",
    "echo -n '§' | docker login -u ann --password-stdin registry.example.org",
    "echo § | gh auth login --with-token",
    "echo § | sudo -S ls",
    "echo '§' | sudo -kS -p '' ls",
    "printf '%s\\n' \"§\" | sudo -S ls",
    "echo u:§ | chpasswd",
    "echo 'u:§' | sudo chpasswd",
    "sudo chpasswd <<< u:§",
    "wrangler secret put X <<< §",
    "npx wrangler secret put X <<< '§'",
    "echo § | npx wrangler secret put X",
    "pass insert x <<< §",
    "gh auth login --with-token <<< §",
    "bash -c \"echo § | sudo -S ls\"",
    "cd x && echo § | cargo login",
    "echo KEY=§ | fly secrets import",
    "/usr/local/bin/cargo login §",
    "if true; then cargo login §; fi",
];

/// Words of a shell whose quotes cut the secret in pieces.
#[test]
fn pieces_of_a_word_are_taken_together() {
    for text in [
        "PASSWORD=abc\"\"def",
        "PASSWORD=abc'def'",
        "PASSWORD='abc'def",
        "PASSWORD=\"abc\"'d ef'",
        "PASSWORD=\"\"abcdef",
        "PASSWORD='abc'\\''def'",
        "export TOKEN=ab\"cd\"ef",
        "tool --password abc'def' x",
        "tool --pass 'abc'def x",
        "cargo login abc\"def\"",
        "echo abc'def' | sudo -S ls",
        "mysql -pabc'def' shop",
        "curl -u ann:abc'def' https://example.org",
        "curl -u ann:abc\"\"def https://example.org",
    ] {
        let out = redact(text);
        assert!(!out.contains("abc") && !out.contains("def"), "{text}: {out}");
        assert_eq!(redact(&out), out, "twice");
    }
    let token = "MadeUpForTesting0123456789abcdefghij";
    for text in [
        format!("echo g\"hp_\"{token}"),
        format!("echo gh'p_'{token} x"),
        format!("X=ghp\"_\"{token}"),
        format!("echo gh\\p_{token}"),
        format!("curl -H X:g\"hp_{token}\" y"),
    ] {
        let out = redact(&text);
        assert!(
            !out.contains(token) && out.contains("[redacted:github-token]"),
            "{text}: {out}"
        );
    }
}

#[test]
fn a_login_of_a_database_loses_what_is_behind_the_slash() {
    for (text, expected) in [
        ("sqlplus u/hunter2@db", "sqlplus u/[redacted:secret]@db"),
        (
            "sqlplus -s 'u/hunter2@db' @x.sql",
            "sqlplus -s 'u/[redacted:secret]@db' @x.sql",
        ),
        ("sqlplus u@db", "sqlplus u@db"),
        ("sqlplus / as sysdba", "sqlplus / as sysdba"),
    ] {
        assert_eq!(redact(text), expected, "{text}");
    }
}

/// Secrets of several shapes, put for the `§` of [`NAMED`].
const SECRETS: &[&str] = &["hunter2", "Tr0ub4dor-3", "aB3_xYz.9", "c0rrect/h0rse+b4ttery="];

#[test]
fn what_a_name_or_place_calls_secret_is_taken_out() {
    for pattern in NAMED {
        for secret in SECRETS {
            let odd = secret.contains('/') && pattern.contains("://");
            if odd || pattern.contains("withslash") && secret.contains('=') {
                continue;
            }
            let text = pattern.replace('§', secret);
            let out = redact(&text);
            assert!(!out.contains(secret), "{text}\n{out}");
            // What is around it stays.
            let (before, _) = text.split_once(secret).unwrap();
            assert!(out.starts_with(before), "{text}\n{out}");
            assert_eq!(redact(&out), out, "twice");
        }
    }
}

#[test]
fn the_rest_of_the_line_stays() {
    for (text, expected) in [
        (
            "export DB_PASSWORD='a b' && ls",
            "export DB_PASSWORD='[redacted:password]' && ls",
        ),
        ("PASSWORD=x; rm -rf ~", "PASSWORD=[redacted:password]; rm -rf ~"),
        ("{password: abc1, user: x}", "{password: [redacted:password], user: x}"),
        ("f(password=\"abc\", n=1)", "f(password=\"[redacted:password]\", n=1)"),
        (
            "curl -H 'Authorization: Bearer abc' x",
            "curl -H 'Authorization: Bearer [redacted:authorization]' x",
        ),
        (
            "postgres://ann:pw@db/shop",
            "postgres://ann:[redacted:password]@db/shop",
        ),
        ("mysql -uroot -psecret shop", "mysql -uroot -p[redacted:password] shop"),
        ("-H 'Cookie: sid=abc; theme=dark' x", "-H 'Cookie: [redacted:cookie]' x"),
        ("TOKEN=a TOKEN=b", "TOKEN=[redacted:secret] TOKEN=[redacted:secret]"),
        ("echo \"token=abc1\" >> x", "echo \"token=[redacted:secret]\" >> x"),
    ] {
        assert_eq!(
            redact(text),
            if text.ends_with("abc def") { text } else { expected },
            "{text}"
        );
    }
}

#[test]
fn a_known_token_keeps_its_name_behind_a_variable() {
    let token = ["ghp", "_", "MadeUpForTesting0123456789abcdefghij"].concat();
    assert_eq!(
        redact(&format!("GITHUB_TOKEN={token}")),
        "GITHUB_TOKEN=[redacted:github-token]"
    );
}

#[test]
fn private_keys_lose_their_body_and_nothing_else() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\nabc=";
    for kind in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "] {
        let (begin, end) = (
            format!("-----BEGIN {kind}PRIVATE KEY-----"),
            format!("-----END {kind}PRIVATE KEY-----"),
        );
        let text = format!("cat > k <<E\n{begin}\n{body}\n{end}\nE\nls");
        let expected = format!("cat > k <<E\n{begin}\n[redacted:private-key]\n{end}\nE\nls");
        assert_eq!(redact(&text), expected);
        let line = text.replace('\n', "\\n");
        assert_eq!(redact(&line), expected.replace('\n', "\\n"));
        // Cut off before its end.
        let cut = format!("{begin}\n{}", &body[..40]);
        assert!(!redact(&cut).contains("MIIE"), "{}", redact(&cut));
    }
    let headers =
        format!("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n{body}\n");
    assert!(
        redact(&headers).contains("DEK-Info: AES-128-CBC,00\n\n[redacted:private-key]"),
        "{}",
        redact(&headers)
    );
    // A command between such lines is no key and stays in the record.
    let hiding = "echo '-----BEGIN PRIVATE KEY-----'\nrm -rf ~\necho '-----END PRIVATE KEY-----'";
    assert_eq!(redact(hiding), hiding);
}

/// Texts that only look like secrets.
const ALIKE: &[&str] = &[
    "git show da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "git checkout 3f2b1c9",
    "550e8400-e29b-41d4-a716-446655440000",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
    "docker pull alpine@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "/usr/share/doc/password-store/README",
    "cat /run/secrets/db_password",
    "ls ~/.ssh/id_rsa",
    "--token-limit 4096",
    "--token-limit=4096",
    "llm --max-tokens 1000 --top-p 1",
    "max_tokens: 4096",
    "\"max_tokens\": 4096, \"prompt_tokens\": 12",
    "set the SECRET_NAME variable first",
    "the password is asked for on the terminal",
    "enter your password: then press return",
    "password: required",
    "Password:",
    "grep -rn \"password\" src/",
    "grep -rn password: src/",
    "grep -E 'token|secret' .env.example",
    "rg 'api_key' --type py",
    "docker login --password-stdin < ~/x",
    "docker login -u ann --password-stdin",
    "docker run -p 8080:80 nginx",
    "ssh -p 2222 ann@host",
    "mkdir -p secret/token",
    "cp -p a b",
    "mysql -u root -p shop",
    "mysql -u root -p",
    "curl -u ann https://example.org",
    "curl -u \"$USER:$PASS\" https://example.org",
    "curl -H \"Authorization: Bearer $TOKEN\" https://example.org",
    "curl -H \"Authorization: Bearer ${TOKEN}\" https://example.org",
    "Authorization: Bearer <token>",
    "PASSWORD=$(pass show db)",
    "PASSWORD=\"$(cat /run/secrets/db)\"",
    "PASSWORD=$DB_PASSWORD",
    "PASSWORD=\"${DB_PASSWORD}\"",
    "PASSWORD= ./run",
    "PASSWORD=''",
    "password: ${{ secrets.DB_PASSWORD }}",
    "password: {{ db_password }}",
    "password: <password>",
    "password: ********",
    "token: xxxx",
    "PWD=/home/ann OLDPWD=/tmp ls",
    "def login(user: str, password: str) -> None:",
    "password: String,",
    "token: Option<String>,",
    "fn peek(&self, token: Span) -> bool {",
    "Some(Token::Comma) => break,",
    "token => parse(token),",
    "curl -H \"X-Auth-Token: $token\" https://example.org",
    "sshpass -p `cat p` ssh host",
    "TOKEN=`cat t`",
    "token = get_token()",
    "token = os.environ[\"API_TOKEN\"]",
    "password = request.form['x']",
    "token = self.session.token",
    "secret := r.Header.Get(\"X\")",
    "secrets: inherit",
    "credentials: include",
    "credentials: true",
    "PASSWORD_FILE=/run/secrets/db",
    "--private-key ~/.ssh/deploy",
    "private_key: /etc/ssl/private/x.pem",
    "docker build --secret id=npmrc,src=.npmrc .",
    "kubectl get secret db -o yaml",
    "aws secretsmanager get-secret-value --secret-id prod/db",
    "primary_key=id",
    "public_key = \"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0 ann\"",
    "key=value&sort=asc",
    "tokenizer=bert-base-uncased",
    "\"token_type\":\"bearer\"",
    "token_count=3",
    "for token in tokens: print(token)",
    "Bearer authentication is described below in full",
    "Basic understanding of the protocol",
    "https://example.org:8080/@scope/pkg",
    "http://localhost:3000/a@b",
    "https://github.com/ann/repo.git",
    "ssh://git@github.com/ann/repo.git",
    "git@github.com:ann/repo.git",
    "postgres://ann:$PGPASSWORD@db/shop",
    "postgres://ann@db/shop",
    "user@example.org:8080",
    "sk-loading-animation-container-wide-enough-to-look-long",
    "pypi-server-with-a-quite-long-name-but-no-token-at-all",
    "xoxo love",
    "AKIAIOSF",
    "hf_hub_download(repo_id=x)",
    "npm_config_registry=https://registry.npmjs.org",
    "npm_lifecycle_event",
    "SG.1",
    "eyJhbGciOiJIUzI1NiJ9",
    "key-value-store-with-a-long-name-0123",
    "the API key: see the docs",
    "rotate the token: it expired",
    "secret sauce = 3 tomatoes",
    "pass: 12, fail: 0",
    "test result: ok. 12 passed; 0 failed",
    "if [ -z \"$TOKEN\" ]; then exit 1; fi",
    "unset TOKEN PASSWORD",
    "export -n API_KEY",
    "printf '%s' \"$PASSWORD\" | sha256sum",
    "chmod 600 .env && cat .env | cut -d= -f1",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkq\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "",
    "ß — 漢字 🙂",
    "git log --pretty",
    "git log --pretty=format:%h",
    "docker login --password-stdin",
    "curl --auth-type basic https://example.org",
    "tool --auth basic",
    "mkdir -p x",
    "mkdir -p password",
    "docker run -p 80:80 x",
    "echo hello | sudo tee /etc/x",
    "echo hello | cat",
    "echo y | sudo apt install x",
    "echo hello || docker login",
    "echo hello; cargo login",
    "cargo login",
    "vault kv get secret/x",
    "vault kv put secret/x @data.json",
    "vault login -method=oidc",
    "aws configure set region eu-west-1",
    "aws configure list",
    "poetry config virtualenvs.in-project true",
    "npm config set registry https://r.example.org",
    "git config user.name ann",
    "rclone config show",
    "gh secret list",
    "gh pr create --body text",
    "gh issue create -b text",
    "gh auth status",
    "fly secrets list",
    "fly deploy --app x",
    "kubectl get pods -o wide",
    "nmcli device wifi list",
    "bw unlock",
    "bw unlock --raw",
    "snyk auth",
    "snyk test --severity-threshold=high",
    "ngrok http 8080",
    "htpasswd f u",
    "rabbitmqctl list_users",
    "echo \"$TOKEN\" | docker login --password-stdin",
    "echo ${TOKEN} | gh auth login --with-token",
    "gh auth login --with-token < t",
    "cat t | docker login -u ann --password-stdin",
    "cargo login $TOKEN",
    "vault kv put secret/x a=$A",
    "fly secrets set A=\"$A\"",
    "read -r PASSWORD",
    "read PASSWORD <<< \"$X\"",
    "printf -v TOKEN %s \"$X\"",
    "printf -v line '%s' x",
    "TOKEN=$(get-token)",
    "TOKEN=$(echo $X)",
    "pwd=$(pwd)",
    "pwd=/srv/x",
    "PASS=0 FAIL=0",
    "echo PASS: 3",
    "x265 --pass 2 x.y4m",
    "ffmpeg -pass 1 -i x",
    "useradd -m ann",
    "ssh-keygen -t ed25519 -f k",
    "ssh-keygen -t ed25519 -N '' -f k",
    "zip -r a.zip x",
    "lftp -u ann ftp.example.org",
    "curl --cert me.pem https://example.org",
    "vercel --prod",
    "ls -la | sudo tee x",
    "su - ann",
    "sudo -u ann ls",
    "git commit -m \"cargo login is needed\"",
    "echo 'cargo login is needed'",
    "it's a pity that we don't login here",
    "echo don't\\ \"x\"",
    "grep -n 'docker login' README.md",
];

#[test]
fn what_only_looks_like_a_secret_stays() {
    assert!(ALIKE.len() >= 60);
    for text in ALIKE {
        assert_eq!(redact(text), *text);
        assert!(matches!(redact(text), Cow::Borrowed(_)));
    }
}

/// All texts of these tests.
fn corpus() -> Vec<String> {
    let mut texts: Vec<String> = ALIKE.iter().chain(NAMED).map(|t| String::from(*t)).collect();
    texts.extend(EXAMPLES.iter().map(|(_, parts)| parts.concat()));
    texts.extend(OPTION_EXAMPLES.iter().map(|parts| parts.concat()));
    texts
}

#[test]
fn twice_is_once_for_all_pairs_of_texts() {
    let corpus = corpus();
    for a in &corpus {
        for b in &corpus {
            let joint = ["", " ", "\n", "\"", "="][(a.len() + b.len()) % 5];
            let text = format!("{a}{joint}{b}");
            let once = redact(&text).into_owned();
            assert_eq!(redact(&once), once, "{text}");
        }
    }
}

#[test]
fn every_cut_of_every_text_is_fine() {
    for text in corpus() {
        for (i, _) in text.char_indices() {
            let _ = redact(&text[i..]);
            let _ = redact(&text[..i]);
            let split = format!("{}ü{}", &text[..i], &text[i..]);
            let once = redact(&split).into_owned();
            assert_eq!(redact(&once), once, "{split}");
            assert_eq!(visible(&once), once.as_str());
        }
    }
}

#[test]
fn random_texts_keep_their_shape() {
    // A small generator of our own: no crate is needed to shuffle pieces.
    let pieces = [
        "password",
        "TOKEN",
        "=",
        ":",
        " ",
        "\"",
        "'",
        "\\",
        "\n",
        "$",
        "{",
        "}",
        "-",
        "--",
        "://",
        "@",
        "a1",
        "ü",
        "hunter2",
        "[redacted:",
        "]",
        "mysql",
        "-p",
        "Authorization",
        "Bearer",
        "eyJ",
        ".",
        "-----BEGIN PRIVATE KEY-----",
        "AAAABBBBCCCCDDDD",
        "?sig=",
        "&",
        ",",
        "curl",
        "-u",
        "x:",
        "${",
        ":-",
        "`",
        "%",
        "pass:",
        "echo ",
        "|sudo -S ",
        "<<<",
        "$(",
        "cargo login ",
        "vault kv put x ",
        ";",
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..60_000 {
        let mut text = String::new();
        for _ in 0..12 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            text.push_str(pieces[(state % pieces.len() as u64) as usize]);
        }
        let once = redact(&text).into_owned();
        assert_eq!(redact(&once), once, "{text}");
    }
}

#[test]
fn hostile_texts_take_linear_time() {
    let long = 1 << 18;
    for piece in [
        "password=\"",
        "password=\\\"",
        "a",
        "://",
        "://a:b/",
        "-----BEGIN PRIVATE KEY-----AAAABBBBCCCCDDDD",
        "eyJaaaaaaaaaaaa.",
        "eyJ",
        "mysql -p",
        "token:",
        "\\",
        "password='",
        "sk-",
        "0123456789",
        "AAAAAAAA:AA",
        "curl -u ",
        "Authorization:",
        "${TOKEN:-",
        "Bearer ",
        "[redacted:",
        "password=x ",
        "ghp_",
        "aws ",
        "sudo aws ",
        "echo x|sudo -S ",
        "fly secrets set A=b ",
        "\"a'b",
        "a\"b\"",
        "TOKEN=a\"b\"",
        "x=a'b",
        "$(echo ",
        "TOKEN=$(echo -n ",
        "cargo login ",
        "cargo login \\\n",
        "a\\",
        ";aws configure",
        "\"\"",
    ] {
        let text: String = piece.chars().cycle().take(long).collect();
        // Bounded by the test runner's patience: quadratic work on a text of this length takes minutes.
        let once = redact(&text).into_owned();
        assert_eq!(redact(&once), once);
    }
}
