/** Something that a person has to put right; its message is all they see. */
export class SetupProblem extends Error {}

/** To stderr, so that a job's own output on stdout (`--json`) stays clean. */
export function say(text) {
  for (const line of text.split('\n')) process.stderr.write(`setup: ${line}\n`);
}
