/** Every setting of the core and of the listed annexes of both halves. Entry points read them and pass on what their parts need. */
import { isIP } from 'node:net';
import * as serveAnnexes from '../src/annexes.ts';
import { CORE_SETTINGS } from '../src/settings/core.ts';
import type { SettingsOf, SettingsTable, TablesOf } from '../src/settings/kinds.ts';
import { type Environment, readValues } from '../src/settings/read.ts';
import * as jobAnnexes from './annexes.ts';

/** By their names in the code. */
export const SETTINGS = Object.assign(
  { ...CORE_SETTINGS },
  ...[...listed(jobAnnexes), ...listed(serveAnnexes)].map(({ settings }) => settings),
) as typeof CORE_SETTINGS & TablesOf<typeof jobAnnexes> & TablesOf<typeof serveAnnexes>;

interface Listed {
  readonly settings?: SettingsTable;
  readonly derive?: (settings: Values, variable: (name: string) => string | undefined) => object;
}

/** The annexes of a list. */
function listed(annexes: object): readonly Listed[] {
  return Object.values(annexes);
}

type Values = SettingsOf<typeof SETTINGS>;
/** The values that an annex derives, as an argument: so that the union of all annexes becomes an intersection of their values. */
type Derived<Annex> = Annex extends { readonly derive: (...args: never[]) => infer More }
  ? (more: More) => void
  : never;
/** The derived values of all annexes. */
type DerivedValues =
  Derived<(typeof jobAnnexes)[keyof typeof jobAnnexes]> extends (more: infer More) => void
    ? More
    : Readonly<Record<never, never>>;

/** Paths are absolute. */
export type Settings = Values & DerivedValues;

export interface SettingsRead {
  readonly settings: Settings;
  /** For the log: variables named like settings that do not exist. */
  readonly warnings: readonly string[];
}

/** Throws INVALID_SETTING with every invalid setting. `folder` contains `.env`, and relative paths begin there. */
export function readSettings(environment: Environment, folder: string): SettingsRead {
  const { values, variables, warnings } = readValues(SETTINGS, environment, folder);
  const derived = listed(jobAnnexes).map(({ derive }) => derive?.(values, (name) => variables[name]));
  const settings: Settings = Object.assign({}, values, ...derived);
  return { settings, warnings: [...warnings, ...insecureAddress(values.publicUrl)] };
}

/** A warning about a public address without TLS: links, pages that frame the calendar and copied addresses begin with it. */
function insecureAddress(url: URL | null): readonly string[] {
  if (url === null || url.protocol === 'https:' || isLocal(url.hostname)) return [];
  return [
    `ALMANAKK_PUBLIC_URL: expected https:// for a host that is not local, found ${url.origin}; pages served by https cannot embed it`,
  ];
}

/** Whether a host is this machine, or in its network: a name without a dot, an address, or under a domain that no one may register. */
function isLocal(host: string): boolean {
  return (
    !host.includes('.') || isIP(host) !== 0 || /\.(?:localhost|local|internal|test|home\.arpa)$/.test(host)
  );
}
