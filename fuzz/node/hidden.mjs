import cp from 'child_process';
const k = ['e', 'x', 'e', 'c'].join('') + "Sync";
const text = Buffer.from('ZWNobyBoaQ==', 'base64').toString('utf8');
cp[k](text.split('').reverse().reverse().join(""));
(0, eval)("1 + " + [1, 2, 3].map((n) => String.fromCharCode(48 + n)).join('+'));
await Promise.all([1, 2].map(async (n) => { try { await import(`./p${n}.mjs`); } catch { /* none */ } }));
label: for (;;) { if (Math.random() > .5) break label; else continue; }
