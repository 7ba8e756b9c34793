// The class of each part of the project. docs/releases.md says which parts are in which class, and what the classes promise.
//
// An annex has an entry in ANNEXES, which also applies to its tests. OTHERS has what else is not stable. All other files are stable: the core, the
// folders that annexes share, and their tests. `.ci/core.mjs` fails if an annex has no class.
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
    explain: STABLE,
    feeds: STABLE,
    keys: STABLE,
    listing: STABLE,
    mcp: EXPERIMENTAL,
    'not-found': STABLE,
    operator: STABLE,
    pages: STABLE,
    persisted: EXPERIMENTAL,
    pictures: STABLE,
    proxies: STABLE,
    'query-log': STABLE,
    quota: MAINTAINED,
    sandbox: STABLE,
    // It also serves the public edition.
    snapshots: STABLE,
    subscribe: STABLE,
    without: STABLE,
  },
  jobs: {
    // It also sends the alerts of a Debian machine.
    announce: STABLE,
    feeds: STABLE,
    hooks: EXPERIMENTAL,
    keys: STABLE,
    pull: MAINTAINED,
    schedule: STABLE,
    signing: STABLE,
    store: MAINTAINED,
    watch: STABLE,
  },
};

/** Beginnings of paths, the first of which that fits applies. Those in src and jobs also apply to their tests, which have the same names. */
export const OTHERS = [
  ['src/annexes/catalog/dcat', EXPERIMENTAL],
  ['src/annexes/catalog/llms', EXPERIMENTAL],
  ['src/annexes/listing/oembed', EXPERIMENTAL],
  ['jobs/annexes/feeds/jsonld', MAINTAINED],
  ['jobs/annexes/feeds/mirror', MAINTAINED],
  ['jobs/kit/folder-store', MAINTAINED],
  ['jobs/kit/s3', MAINTAINED],
  ['docs/examples/almanakk-events/', STABLE],
  // Files that the guides for one machine and for alerts use.
  ['docs/examples/alertmanager.yml', STABLE],
  ['docs/examples/check-public.sh', STABLE],
  ['docs/examples/metrics.conf', STABLE],
  ['docs/examples/nftables.conf', STABLE],
  ['docs/examples/status.conf', STABLE],
  ['docs/examples/', EXPERIMENTAL],
  ['docs/kubernetes', MAINTAINED],
  ['docs/kustomization', MAINTAINED],
  ['docs/microsoft-365.md', MAINTAINED],
  ['docs/scaling.md', MAINTAINED],
  ['docs/two-machines.md', MAINTAINED],
  ['test/debian-sync', MAINTAINED],
  ['test/kubernetes', MAINTAINED],
  ['test/heavy/hostile-origin', MAINTAINED],
  ['test/helpers/kubernetes', MAINTAINED],
  ['test/examples/newspaper', STABLE],
  ['test/examples/wordpress', STABLE],
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
  return OTHERS.find(([beginning]) => source.startsWith(beginning))?.[1] ?? STABLE;
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
  const lost = OTHERS.filter(([beginning]) => !isThere(folder, beginning));
  return [
    ...ofAnnexes,
    ...lost.map(([beginning]) => `.ci/classes.mjs: expected files that begin with ${beginning}, found none`),
  ];
}

function isThere(folder, beginning) {
  if (existsSync(join(folder, beginning))) return true;
  const at = beginning.lastIndexOf('/') + 1;
  const beside = join(folder, beginning.slice(0, at));
  const names = existsSync(beside) ? readdirSync(beside) : [];
  return names.some((name) => name.startsWith(beginning.slice(at)));
}
