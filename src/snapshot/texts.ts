/**
 * What few requests ask for, so that no server has it in memory: a text each, read as a whole, whose checksum the column `textCheck` has
 * (H14, damage while it is served).
 */
import { crc32 } from 'node:zlib';
import { parsedJson } from '../calendar/json.ts';
import { unusable } from './format.ts';
import { type Reader, textOf } from './sqlite.ts';

const metaSql = (key: string) => `select value from meta where key = '${key}'`;

/** SQL for each text, which is JSON. Their order is that of the checksums. */
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

export async function checksOfTexts(all: Reader['all']): Promise<Uint32Array<ArrayBuffer>> {
  const checks: number[] = [];
  for (const sql of Object.values(TEXTS))
    checks.push(...(await all(sql, [], (row) => crc32(textOf(row, 'value')))));
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
