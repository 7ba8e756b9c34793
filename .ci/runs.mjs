// Recorded runs (.ci/records.mjs) whose files have changed since.
//
//   node .ci/runs.mjs [folder]   prints a warning for each one, and exits 0
//
// `npm run release` refuses a release with such runs. Where the history lacks the commit, as in a shallow clone or an archive, the run is not
// compared, and the command says so. It needs no network.
import { fileURLToPath } from 'node:url';
import { changesSince, recordedRuns } from './records.mjs';

const MOST_NAMED_FILES = 5;

const [root = fileURLToPath(new URL('..', import.meta.url))] = process.argv.slice(2);

for (const run of recordedRuns(root)) {
  const { record, commit, script } = run;
  const changes = changesSince(run, root);
  if (changes === null) console.log(`${record}: not compared: the history here does not have ${commit}`);
  else if (changes.length > 0) {
    const since = `changed since its commit ${commit}: ${listOf(changes)}`;
    console.warn(`WARNING: ${record}: ${since}. Repeat it with ${script} before a release`);
  }
}

function listOf(paths) {
  const others = paths.length - MOST_NAMED_FILES;
  return others > 0 ? `${paths.slice(0, MOST_NAMED_FILES).join(', ')} and ${others} more` : paths.join(', ');
}
