import { spawn } from 'node:child_process';

const KEPT_CHARACTERS = 64 * 1024;

/**
 * Runs one program in the package's folder. Its id stands in the lock while it runs.
 * Resolves to `{ code, output }`, stdout and stderr together, the last 64 Ki characters.
 */
export function run([file, ...args], { root, lock, env = process.env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (text) => {
      output = (output + text).slice(-KEPT_CHARACTERS);
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', keep);
    child.on('spawn', () => lock.add(child.pid));
    child.on('error', (error) => reject(new SetupProblem(`${file} cannot be started: ${error.message}`)));
    child.on('close', (code, signal) => {
      lock.remove(child.pid);
      resolve({ code: code ?? 1, output: signal ? `${output}\nended by ${signal}` : output });
    });
  });
}

/** Something that a person has to put right; its message is all they see. */
export class SetupProblem extends Error {}

/** To stderr, so that a job's own output on stdout (`--json`) stays clean. */
export function say(text) {
  for (const line of text.split('\n')) process.stderr.write(`setup: ${line}\n`);
}
