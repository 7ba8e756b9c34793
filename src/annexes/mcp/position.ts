/** The argument `from` of tools (I14): the position at which a cut answer continues, `#12`, after a day or a moment if the question had one. */
import { described, TEXT_OR_NULL } from '../common/json-schema.ts';
import { kindOf } from './arguments.ts';

export interface Position {
  /** Empty if none is given. */
  readonly moment: string;
  /** Entries that earlier answers had. */
  readonly skip: number;
}

export const from = kindOf(
  { type: 'string' },
  'a day, a moment, or the `next` of an earlier answer',
  (value): Position | undefined => {
    const found = typeof value === 'string' ? FROM.exec(value.trim()) : null;
    if (found === null) return undefined;
    const [, moment = '', skip = '0'] = found;
    return { moment, skip: Number(skip) };
  },
);

const FROM = /^([^#]{0,40})(?:#(\d{1,5}))?$/;

/** `from` of tools that take no day or moment. */
export const next = kindOf({ type: 'string' }, 'the `next` of an earlier answer', (value) => {
  const found = typeof value === 'string' ? NEXT.exec(value.trim()) : null;
  return found === null ? undefined : { skip: Number(found[1]) };
});

const NEXT = /^#(\d{1,5})$/;

/** JSON Schema of `next` in each tool's answer. */
export const NEXT_SCHEMA = described(
  'The value of `from` that returns the rest; null if nothing was left out.',
  TEXT_OR_NULL,
);

/** The `from` that asks for the entries after these. */
export const nextOf = ({ moment = '' }: Partial<Position>, skip: number): string => `${moment}#${skip}`;
