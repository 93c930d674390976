#!/usr/bin/env node
const path = require('path');
const { readdirSync, mkdirSync, copyFileSync: copy } = require("fs");
const { spawnSync } = require('node:child_process');
const out = path.join(__dirname, 'dist');
mkdirSync(out, { recursive: true });
for (const name of readdirSync('src').filter((n) => /\.m?js$/.test(n))) {
  copy(`src/${name}`, path.join(out, name.replace(/\.mjs$/, '.js')));
}
const run = (cmd, ...args) => spawnSync(cmd, args, { stdio: 'inherit', shell: process.platform === 'win32' });
module.exports = { run, version: () => run('git', 'describe', `--tags`) };
if (require.main === module) process.exit(run("npm", "test").status ?? 1);
