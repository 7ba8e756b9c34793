import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile, isCompiled } from './compile.mjs';
import { install, isInstalled } from './install.mjs';
import { withLock } from './lock.mjs';
import { SetupProblem, say } from './say.mjs';

/**
 * Flags. Without any: whatever `npm start` and the jobs need.
 *   --dev         the development packages too (tests, checks, benchmarks)
 *   --no-compile  packages only
 *   --production  never the development packages: dist/ has to be there already (a container image's last stage)
 */
const FLAGS = new Set(['--dev', '--no-compile', '--production']);

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export async function main(args) {
  try {
    await setUp({ root: ROOT, flags: parseFlags(args) });
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}

async function setUp({ root, flags }) {
  if (isReady(missing(root, flags))) return;
  await withLock(`${root}/.setup.lock`, async (lock) => {
    // Somebody else may have done the work while this one waited for the lock.
    const todo = missing(root, flags);
    if (isReady(todo)) return;
    if (todo.packages) await install(root, { dev: todo.dev, lock });
    if (todo.compiled) await compile(root, { lock });
    say('ready');
  });
}

function missing(root, flags) {
  const compiled = !flags.has('--no-compile') && !isCompiled(root);
  if (compiled && flags.has('--production')) {
    throw new SetupProblem(
      'dist/ is missing or does not belong to these sources, and --production may not compile.\n' +
        'Run "node jobs/setup.mjs" where the development packages may be installed, and bring its dist/ along.',
    );
  }
  const dev = compiled || flags.has('--dev');
  return { compiled, dev, packages: !isInstalled(root, { dev }) };
}

function isReady(todo) {
  return !todo.compiled && !todo.packages;
}

function parseFlags(args) {
  const unknown = args.filter((arg) => !FLAGS.has(arg));
  if (unknown.length > 0) {
    throw new SetupProblem(`expected only ${[...FLAGS].join(', ')}, found ${unknown.join(' ')}`);
  }
  return new Set(args);
}
