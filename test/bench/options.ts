/** The command's arguments, and what a run of each length does. */
import { parseArgs } from 'node:util';

export interface Options {
  readonly quick: boolean;
  readonly help: boolean;
  /** Measures many at once, and nothing else. */
  readonly storm: boolean;
  /** Watches one server for half an hour, and measures nothing else. */
  readonly soak: boolean;
  /** Measures a calendar of a million occurrences, and nothing else. */
  readonly nation: boolean;
  /** Measures what a server holds after very many different requests, and nothing else. */
  readonly memory: boolean;
  /** Folder of compiled almanakk. */
  readonly dist: string;
  /** That of another commit, measured side by side; null for none. */
  readonly beside: string | null;
  /** Folder for the table, the figures and the chart. */
  readonly out: string;
  /** Nodes of the calendars that are served; 0 for no large one. */
  readonly small: number;
  readonly large: number;
  /** Nodes of a calendar that is only built; 0 for none. */
  readonly huge: number;
  readonly rounds: number;
  /** That a row takes of each round. */
  readonly roundSeconds: number;
  readonly warmUpSeconds: number;
  /** That each phase of the swaps takes. */
  readonly swapSeconds: number;
  /** Different requests after which a server's memory is looked at. */
  readonly different: number;
}

export const USAGE = `Usage: npm run bench -- [options]

  --quick        no large calendar, fewer rows and shorter rounds: within two minutes, and only into test/bench/work/
  --huge         build a calendar of 1,000,000 events, too (10 minutes and 15 GB of disk more)
  --dist DIR     measure the almanakk that is compiled there (dist)
  --beside DIR   measure another almanakk in the same rounds: compiled there, from another commit
  --out DIR      write the results there (test/bench/results)
  --storm        many at once against a server of 512, 384 and 256 MB (half an hour; five minutes with --quick),
                 into storm.md; Linux, and as root for memory groups
  --soak         one server at half of what the machine can do, with builds, failing ones and storms (half an hour; three
                 minutes with --quick), into soak.md and soak.svg; Linux
  --nation       a million occurrences in 200,000 events beside a tenth of that, into nation.md (ten minutes; with --quick
                 a tenth of both)
  --memory       what a server holds when it is ready, and after 1,000 to 1,000,000 different requests, into memory.md
                 (ten minutes; with --quick up to 20,000)
  --help         print this
`;

const FULL = {
  small: 20_000,
  large: 200_000,
  rounds: 7,
  roundSeconds: 0.8,
  warmUpSeconds: 1.5,
  swapSeconds: 12,
  different: 1_000_000,
};
const QUICK = {
  small: 20_000,
  large: 0,
  rounds: 3,
  roundSeconds: 0.25,
  warmUpSeconds: 0.7,
  swapSeconds: 4,
  different: 20_000,
};

export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      huge: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      storm: { type: 'boolean', default: false },
      soak: { type: 'boolean', default: false },
      nation: { type: 'boolean', default: false },
      memory: { type: 'boolean', default: false },
      dist: { type: 'string', default: 'dist' },
      beside: { type: 'string' },
      out: { type: 'string' },
    },
  });
  const { quick, huge, help, dist, storm, soak, nation, memory, beside = null } = values;
  const { out = quick ? 'test/bench/work/quick' : 'test/bench/results' } = values;
  const named = { quick, help, dist, storm, soak, nation, memory, beside, out };
  return { ...named, huge: huge ? 1_000_000 : 0, ...(quick ? QUICK : FULL) };
}
