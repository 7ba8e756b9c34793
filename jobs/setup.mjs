// The setup step before every npm script: installs packages and compiles TypeScript, or says what is missing. Does nothing if all is in
// place. The syntax and imports of this file suit even very old versions of Node, so that it can report them; everything else is in
// ./setup/.

const NEEDED = [20, 17];

const found = process.versions.node.split('.').map(Number);
if (found[0] < NEEDED[0] || (found[0] === NEEDED[0] && found[1] < NEEDED[1])) {
  console.error(`almanakk: Node ${NEEDED.join('.')} or later is needed, this is ${process.version}`);
  process.exitCode = 1;
} else {
  import('./setup/steps.mjs').then((steps) => steps.main(process.argv.slice(2)));
}
