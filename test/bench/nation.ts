/**
 * `npm run bench -- --nation`: builds, publishes, adopts and queries a million occurrences in 200,000 events, and a similar calendar with a
 * tenth of them. A cost that grows by more than ten times is what a country would notice.
 */
import { rmSync } from 'node:fs';
import { measureAdoptions, measureStarts, STARTS } from './adoptions.ts';
import type { Built } from './builds.ts';
import { buildCalendar, twinOf } from './calendars.ts';
import type { Load } from './load.ts';
import { measureMemory } from './memory.ts';
import { startAlmanakk } from './processes.ts';
import { provenanceTable } from './provenance.ts';
import { byLiterals, byVariables, momentary, readDirectories, repeated } from './questions.ts';
import { differentRow, post } from './requests.ts';
import { type Effort, type Measured, measureRows } from './rounds.ts';
import type { Startable } from './stand.ts';
import { figure, markdownTable, thousands } from './tables.ts';

export interface NationOptions {
  readonly work: string;
  readonly dist: string;
  /** Events of the larger one. */
  readonly events: number;
  readonly effort: Effort;
  /** The length of each phase of the adoptions. */
  readonly seconds: number;
  /** Different requests after which memory is looked at. */
  readonly different: number;
  readonly command: string;
  readonly say: (what: string) => void;
}

/** The larger calendar has so many times as many events. */
const TIMES = 10;
/** A figure grows faster than the calendar if it grows by more than this. Less may be due to the machine. */
const FASTER = 1.1 * TIMES;

interface Column {
  readonly built: Built;
  readonly figures: Readonly<Record<string, number>>;
}

/** Gives the table. */
export async function measureNation(options: NationOptions, load: Load): Promise<string> {
  const { work, dist, events, say } = options;
  const columns: Column[] = [];
  for (const size of [Math.round(events / TIMES), events]) {
    say(`building a calendar of ${thousands(size)} events with five dates each`);
    const wanted = { work, name: `nation-${size}`, events: size, now: Date.now(), dates: 'nation' } as const;
    const built = await buildCalendar(wanted, dist);
    say('asking, starting and adopting');
    columns.push({ built, figures: await figuresOf(built, options, load) });
    rmSync(built.folder, { recursive: true, force: true });
  }
  return renderNation(columns, options);
}

async function figuresOf(built: Built, options: NationOptions, load: Load): Promise<Column['figures']> {
  const { work, dist, effort, seconds, different } = options;
  const [start] = await measureStarts([{ dist, built }]);
  const { repeatedRow, variables, literals } = await requestsOf({ dist, built }, effort, load);
  const [held] = await measureMemory({ dist, built }, [different], load);
  const twin = await twinOf(built);
  const adoptions = await measureAdoptions({ work, dist, between: [built, twin], seconds }, load);
  rmSync(twin.folder, { recursive: true, force: true });
  return {
    'build, s': built.seconds,
    'build, CPU s': built.cpuSeconds,
    ...Object.fromEntries(STEPS.map((step) => [`build: ${step}, s`, (built.steps[step] ?? 0) / 1_000])),
    'build, µs an occurrence': (built.seconds * 1e6) / built.occurrences,
    'highest memory of the build, MB': built.peakBytes / 1e6,
    'file, MB': built.bytes / 1e6,
    'start to ready, ms': start?.readyMs ?? Number.NaN,
    'memory then, MB': (start?.bytes ?? Number.NaN) / 1e6,
    [`memory after ${thousands(different)} different requests, MB`]: (held?.bytes ?? Number.NaN) / 1e6,
    ...cpuOf('a repeated request', repeatedRow),
    ...cpuOf('a different one by variables', variables),
    'the same, p99 ms with 16 connections': variables.p99,
    ...cpuOf('a different one by literals', literals),
    'from publishing to answering, ms': adoptions.adoptMs,
    'p99 at 200 requests a second, ms': adoptions.steady.p99,
    'p99 while adopting, ms': adoptions.adopting.p99,
  };
}

function cpuOf(what: string, { cpu, cpuRange: [lowest, highest] }: Measured): Column['figures'] {
  return {
    [`${what}, CPU µs`]: cpu,
    [`${what}, CPU µs, lowest round`]: lowest,
    [`${what}, CPU µs, highest round`]: highest,
  };
}

/** Steps that take more than a second. */
const STEPS = ['hash', 'events', 'columns', 'write', 'publish'];

async function requestsOf({ dist, built }: Startable, effort: Effort, load: Load) {
  const server = await startAlmanakk({ dist, folder: built.folder });
  const directories = await readDirectories(server.port);
  const row = differentRow(directories);
  const same = post(repeated(directories));
  const rows = [
    { id: 'repeated', label: 'repeated', server, requests: () => [same], floor: '' },
    row('variables', server, { label: 'by variables', ask: byVariables }),
    row('literals', server, { label: 'by literals', ask: byLiterals, make: momentary }),
  ];
  const measured = await measureRows(rows, load, effort).finally(server.stop);
  const of = (id: string): Measured => {
    const found = measured.find((one) => one.id === id);
    if (found === undefined) throw new Error(`expected a row ${id}, found none`);
    return found;
  };
  return { repeatedRow: of('repeated'), variables: of('variables'), literals: of('literals') };
}

function renderNation(columns: readonly Column[], { command, dist, effort }: NationOptions): string {
  const [tenth, nation] = columns.map(({ figures }) => figures);
  const rows = Object.entries(nation ?? {}).map(([what, value]) => {
    const before = tenth?.[what] ?? Number.NaN;
    return { what, before, value, times: value / before };
  });
  const faster = rows.filter(({ times }) => times > FASTER).map(({ what }) => `${what.replace(/, .*/, '')}`);
  const heads = columns.map(
    ({ built }) => `${thousands(built.events)} events, ${thousands(built.occurrences)} occurrences`,
  );
  const runs = `requests: medians of ${effort.rounds} rounds; starts: medians of ${STARTS}; builds: one each`;
  return `# A nation

${provenanceTable({ command, dist, runs })}

Two calendars of the same kind; the larger one has ${TIMES} times as much of everything but venues, organizers and categories.

${markdownTable(
  ['', ...heads, 'times'],
  rows.map(({ what, before, value, times }) => [
    what,
    figure(before),
    figure(value),
    times > FASTER ? `**${figure(times)}**` : figure(times),
  ]),
)}

Faster than the calendar grows: ${faster.length === 0 ? 'nothing' : [...new Set(faster)].join(', ')}.
`;
}
