/** The argument `from` of tools (I14): the position at which a cut answer continues, `#12`, after a day or a moment if the question had one. */
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
  const [, skip] = (typeof value === 'string' && NEXT.exec(value.trim())) || [];
  return skip === undefined ? undefined : { skip: Number(skip) };
});

const NEXT = /^#(\d{1,5})$/;

/** The `from` that asks for the entries after these. */
export const nextOf = ({ moment = '' }: Partial<Position>, skip: number): string => `${moment}#${skip}`;
