/** H14: the checksums of what a server reads of a file while it serves it: the texts of events, and those that few requests ask for. */
import { crc32 } from 'node:zlib';
import { namesOf } from '../calendar/field.ts';
import { parsedJson } from '../calendar/json.ts';
import { FRAGMENT_SQL, NAME_SQL } from './fragments.ts';
import { bytesOf, integerOf, type Reader, type Row, textOf } from './reader.ts';
import { unusable } from './unusable.ts';

/** The checksums of an event's texts. */
interface EventChecks {
  readonly ordinal: number;
  readonly body: number;
  readonly name: number;
}

interface EventVisit {
  /** The number of events. */
  readonly count: number;
  /** SQL of columns that `visit` reads, too. */
  readonly further?: readonly string[];
  readonly visit: (checks: EventChecks, row: Row) => void;
}

/** Computes the checksums of all events from their texts as a server reads them, in the order of the ordinals. */
export async function computeChecks(
  all: Reader['all'],
  { count, further = [], visit }: EventVisit,
): Promise<void> {
  const columns = ['ordinal', `${FRAGMENT_SQL} as body`, `${NAME_SQL} as name`, ...further];
  const sql = `select ${columns.join(', ')} from event
    where ordinal >= ?1 and ordinal < ?1 + ${READ_AT_ONCE} order by ordinal`;
  const read = (row: Row) => {
    const ordinal = integerOf(row, 'ordinal');
    visit({ ordinal, body: crc32(bytesOf(row, 'body')), name: crc32(bytesOf(row, 'name')) }, row);
  };
  for (let first = 0; first < count; first += READ_AT_ONCE) await all(sql, [first], read);
}

/** Events that are read by one statement. */
const READ_AT_ONCE = 500;

const metaSql = (key: string) => `select value from meta where key = '${key}'`;

/**
 * SQL for each text that few requests ask for, so that no server has it in memory: JSON, read as a whole. Their order is that of the
 * checksums in the column `textCheck`.
 */
const TEXTS = {
  report: metaSql('report'),
  feeds: metaSql('feeds'),
  changes: metaSql('changes'),
  builds: `select json_group_array(json_object('number', number, 'id', id, 'builtAt', built_at) order by number) as value
    from build`,
  history: `select json_group_array(json_object('id', id, 'build', build, 'seen', seen, 'changed', changed) order by id, build) as value
    from history`,
} as const;

export type TextName = keyof typeof TEXTS;

export const TEXT_NAMES = namesOf(TEXTS);

export async function computeTextChecks(all: Reader['all']): Promise<Uint32Array<ArrayBuffer>> {
  const checks: number[] = [];
  for (const sql of Object.values(TEXTS)) {
    const [text = ''] = await all(sql, [], (row) => textOf(row, 'value'));
    checks.push(crc32(text));
  }
  return Uint32Array.from(checks);
}

/** Throws SNAPSHOT_UNUSABLE for a text that is not what was written. */
export async function readJsonText(
  all: Reader['all'],
  name: TextName,
  checks: Uint32Array,
): Promise<unknown> {
  const [text = ''] = await all(TEXTS[name], [], (row) => textOf(row, 'value'));
  const check = checks[Object.keys(TEXTS).indexOf(name)];
  if (crc32(text) !== check) throw unusable(name, `the checksum ${check}`, crc32(text));
  return parsedJson(text);
}
