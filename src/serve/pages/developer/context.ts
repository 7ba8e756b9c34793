import type { GraphQLSchema } from 'graphql';
import type { Snapshot } from '../../../snapshot/open.ts';
import type { Figures } from '../figures.ts';
import type { PageName } from '../frame.ts';
import type { ChosenLanguage } from '../language.ts';

/** What the sections of the developer page are made from. */
export interface Context extends ChosenLanguage {
  readonly snapshot: Snapshot;
  readonly figures: Figures;
  readonly schema: GraphQLSchema;
  /** Of this server, without a slash at the end. */
  readonly address: string;
  readonly menu: readonly PageName[];
  /** Whether the snapshot itself can be fetched (D8). */
  readonly offersSnapshots: boolean;
  /** Seconds: the longest that an answer may be kept. */
  readonly maxAge: number;
}
