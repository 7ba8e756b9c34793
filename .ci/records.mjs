// Recorded runs of what needs whole machines or a cluster: the guides on booted Debian systems, and the image on real engines. A record names the
// commit whose files were tried. It says nothing about later changes of these files.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const RECORDS = 'test/heavy';
const ON_DEBIAN = ['docs/debian', 'docs/examples/nftables.conf'];
const ON_TWO = [...ON_DEBIAN, '.ci/debian-pair.sh', '.ci/probes.mjs'];

/** The files that a run tries, and its scripts, by its record. A record with a row for each engine has a run for each. */
const SETUPS = [
  [/^debian-run-\d+\.md$/, [...ON_DEBIAN, '.ci/debian.sh']],
  [/^debian-pair-run-\d+\.md$/, [...ON_TWO, '.ci/failover.sh', 'docs/examples/keepalived.conf']],
  [
    /^link-run\.md$/,
    [
      ...ON_TWO,
      '.ci/encrypted.sh',
      'docs/examples/metrics.conf',
      'docs/examples/wg0.conf',
      'docs/scrape-machines.yml',
    ],
  ],
  [/^cdn-run-nginx\.md$/, [...ON_TWO, '.ci/cdn.sh', 'docs/examples/caching-proxy.conf']],
  [/^cdn-run-varnish\.md$/, [...ON_TWO, '.ci/cdn.sh', 'docs/examples/caching-proxy.vcl']],
  [
    /^container-run\.md, docker$/,
    ['.ci/containers.sh', 'Containerfile', 'docs/compose.yaml', 'docs/compose-*.sh'],
  ],
  [/^container-run\.md, podman$/, ['.ci/containers.sh', 'Containerfile', 'docs/kubernetes*.yaml']],
  [/^container-run\.md, kubernetes$/, ['.ci/cluster.sh', 'Containerfile', 'docs/kubernetes*']],
];
/** As in `2.0.0 (db7cee83)`. */
const PACKAGE = /\(([\da-f]{8,})\+?\)/;
/** Its engine, and the commit in its column "checkout". */
const ROW = /^\| (\w+) \|[^|]*\|[^|]*\| `([\da-f]{8,})` \|/gm;

/** Each run: its record, the commit whose files it tried, the paths of these files, and the script. */
export function recordedRuns(root) {
  if (!existsSync(join(root, RECORDS))) return [];
  const records = readdirSync(join(root, RECORDS)).filter((name) => name.endsWith('.md'));
  return records.sort().flatMap((name) => {
    const text = readFileSync(join(root, RECORDS, name), 'utf8');
    const rows = [...text.matchAll(ROW)].map(([, engine, commit]) => runOf(`${name}, ${engine}`, commit));
    return rows.length > 0 ? rows : [runOf(name, PACKAGE.exec(text)?.[1])];
  });
}

function runOf(name, commit) {
  const record = `${RECORDS}/${name}`;
  const [, paths] = SETUPS.find(([pattern]) => pattern.test(name)) ?? [];
  if (paths === undefined)
    throw new Error(`${record}: expected what it tries in .ci/records.mjs, found nothing`);
  if (commit === undefined) throw new Error(`${record}: expected the commit of its package, found none`);
  return { record, commit, paths, script: paths.find((path) => /^\.ci\/.*\.sh$/.test(path)) };
}

/** The files of a run that have changed since its commit; null if the history does not have the commit. */
export function changesSince({ commit, paths }, root) {
  const args = ['diff', '--name-only', commit, '--', ...paths];
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.split('\n').filter(Boolean) : null;
}
