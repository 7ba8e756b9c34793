// The setup step in front of every npm script: packages installed, TypeScript compiled, or a plain word on what is
// missing. A no-op when all is in place. This file keeps to syntax and imports that a Node far too old still
// parses, so that it can say so; everything else is in ./setup/.

const NEEDED = [20, 17];

const found = process.versions.node.split('.').map(Number);
if (found[0] < NEEDED[0] || (found[0] === NEEDED[0] && found[1] < NEEDED[1])) {
  console.error(`almanakk: Node ${NEEDED.join('.')} or later is needed, this is ${process.version}`);
  process.exitCode = 1;
} else {
  import('./setup/steps.mjs').then((steps) => steps.main(process.argv.slice(2)));
}
