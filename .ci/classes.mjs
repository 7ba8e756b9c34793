// The class of each part of the project. docs/releases.md says which parts are in which class, and what the classes promise.
//
// An annex has an entry in ANNEXES, which also applies to its tests. OTHERS has what else is not stable. All other files are stable: the core, the
// folders that annexes share, and their tests. Nothing stable may need what is not: `.ci/core.mjs` compiles the stable files alone, and fails if
// an annex has no class.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const STABLE = 'stable';
export const MAINTAINED = 'maintained while somebody runs it';
export const EXPERIMENTAL = 'experimental';
export const CLASSES = [STABLE, MAINTAINED, EXPERIMENTAL];

/** By half. */
export const ANNEXES = {
  src: {
    brand: STABLE,
    catalog: STABLE,
    changes: STABLE,
    embed: STABLE,
    // Statuses, codes and the fields of errors are in the core. No version promises the wording of messages.
    explain: MAINTAINED,
    feeds: STABLE,
    // A caller may always send a key. The command that issues keys is in the other half.
    keys: STABLE,
    listing: STABLE,
    mcp: EXPERIMENTAL,
    'not-found': STABLE,
    operator: MAINTAINED,
    pages: STABLE,
    persisted: EXPERIMENTAL,
    pictures: STABLE,
    proxies: STABLE,
    'public-edition': STABLE,
    'query-log': MAINTAINED,
    quota: MAINTAINED,
    // Without it, visitors load the originals, and `Image.copies` is null.
    resized: MAINTAINED,
    sandbox: STABLE,
    snapshots: MAINTAINED,
    subscribe: STABLE,
    // A proxy can refuse the same paths.
    without: MAINTAINED,
  },
  jobs: {
    announce: MAINTAINED,
    feeds: STABLE,
    hooks: EXPERIMENTAL,
    keys: MAINTAINED,
    pull: MAINTAINED,
    schedule: STABLE,
    signing: MAINTAINED,
    store: MAINTAINED,
    watch: STABLE,
  },
};

/** Path prefixes; the first match applies. Those in src and jobs also apply to their tests, which have the same names. */
export const OTHERS = [
  ['src/annexes/catalog/dcat', EXPERIMENTAL],
  ['src/annexes/catalog/llms', EXPERIMENTAL],
  ['src/annexes/listing/oembed', EXPERIMENTAL],
  // The sandbox's button; code generators read the schema.
  ['src/annexes/sandbox/assets/typescript', MAINTAINED],
  ['src/annexes/sandbox/typescript', MAINTAINED],
  ['jobs/annexes/feeds/jsonld', MAINTAINED],
  ['jobs/annexes/feeds/mirror', MAINTAINED],
  ['jobs/annexes/feeds/workbooks', MAINTAINED],
  ['jobs/kit/folder-store', MAINTAINED],
  ['jobs/kit/s3', MAINTAINED],
  ['docs/alerts.yml', MAINTAINED],
  ['docs/archive.sh', MAINTAINED],
  ['docs/blackbox.yml', MAINTAINED],
  ['docs/cdn.md', MAINTAINED],
  ['docs/compose-', MAINTAINED],
  ['docs/dashboard.json', MAINTAINED],
  // The services and nginx of one machine.
  ['docs/debian/etc/nginx/almanakk-pictures', MAINTAINED],
  ['docs/debian/etc/nginx/', STABLE],
  ['docs/debian/etc/systemd/system/almanakk@', STABLE],
  ['docs/debian/', MAINTAINED],
  ['docs/examples/almanakk-events/', MAINTAINED],
  // Files that the guides for Debian and for alerts use.
  ['docs/examples/alertmanager.yml', MAINTAINED],
  ['docs/examples/check-public.sh', MAINTAINED],
  ['docs/examples/metrics.conf', MAINTAINED],
  ['docs/examples/nftables.conf', MAINTAINED],
  ['docs/examples/status.conf', MAINTAINED],
  ['docs/examples/', EXPERIMENTAL],
  ['docs/kubernetes', MAINTAINED],
  ['docs/kustomization', MAINTAINED],
  ['docs/microsoft-365.md', MAINTAINED],
  ['docs/on-call.md', MAINTAINED],
  ['docs/prometheus-operator.yaml', MAINTAINED],
  ['docs/scaling.md', MAINTAINED],
  ['docs/scrape', MAINTAINED],
  ['docs/two-machines.md', MAINTAINED],
  ['docs/unarchive.sh', MAINTAINED],
  ['docs/watching.md', MAINTAINED],
  ['docs/wordpress.md', MAINTAINED],
  ['test/alertmanager', MAINTAINED],
  ['test/alerts/', MAINTAINED],
  ['test/compose', MAINTAINED],
  ['test/debian/', MAINTAINED],
  ['test/kubernetes/', MAINTAINED],
  ['test/public-address', MAINTAINED],
  ['test/fixtures/wordpress/', MAINTAINED],
  ['test/heavy/debian', MAINTAINED],
  ['test/heavy/hostile-origin', MAINTAINED],
  ['test/helpers/debian-machine', MAINTAINED],
  ['test/helpers/debian-root', MAINTAINED],
  ['test/helpers/kubernetes', MAINTAINED],
  ['test/helpers/prometheus', MAINTAINED],
  ['test/examples/newspaper', MAINTAINED],
  ['test/examples/wordpress', MAINTAINED],
  ['test/examples/', EXPERIMENTAL],
];

/** The kinds of feeds that are not stable, as entries of tables in the folder name them. */
export const KEYS = [
  ['jobs/annexes/feeds/', 'jsonld'],
  ['jobs/annexes/feeds/', 'graphql'],
];

const ANNEX = /^(src|jobs)\/annexes\/([\w-]+)\//;
const root = fileURLToPath(new URL('..', import.meta.url));

/** The class of a file, by its path from the root of the project. */
export function classOf(path) {
  const source = path.replace(/^test\/(?=(?:src|jobs)\/)/, '');
  const [, half, name] = ANNEX.exec(source) ?? [];
  const ofAnnex = ANNEXES[half]?.[name] ?? STABLE;
  if (ofAnnex !== STABLE) return ofAnnex;
  const found = OTHERS.find(([beginning]) => path.startsWith(beginning) || source.startsWith(beginning));
  return found?.[1] ?? STABLE;
}

/** What is wrong with the lists above: annexes without a class, and entries for what is not there. */
export function faults(folder = root) {
  const ofAnnexes = Object.entries(ANNEXES).flatMap(([half, classes]) => {
    const there = readdirSync(join(folder, half, 'annexes')).filter((name) =>
      existsSync(join(folder, half, 'annexes', name, 'annex.ts')),
    );
    const without = there.filter((name) => classes[name] === undefined);
    const lost = Object.keys(classes).filter((name) => !there.includes(name));
    return [
      ...without.map((name) => `${half}/annexes/${name}: expected its class in .ci/classes.mjs, found none`),
      ...lost.map((name) => `.ci/classes.mjs: expected an annex ${half}/annexes/${name}, found none`),
    ];
  });
  const lost = OTHERS.map(([beginning]) => beginning).filter((beginning) => !isThere(folder, beginning));
  return [
    ...ofAnnexes,
    ...lost.map((beginning) => `.ci/classes.mjs: expected files that begin with ${beginning}, found none`),
  ];
}

function isThere(folder, beginning) {
  if (existsSync(join(folder, beginning))) return true;
  const at = beginning.lastIndexOf('/') + 1;
  const beside = join(folder, beginning.slice(0, at));
  const names = existsSync(beside) ? readdirSync(beside) : [];
  return names.some((name) => name.startsWith(beginning.slice(at)));
}
