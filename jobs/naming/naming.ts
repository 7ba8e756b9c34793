/** F13, F15: how corrections and the rows of sheets name events and areas: the same in each of them. */
import { ownSiteAt } from '../../src/calendar/date-address.ts';
import type { Reporter } from '../findings.ts';
import { createFormerIds, type PreviousSlugs } from '../slugs/ledger.ts';
import type { HeldBack } from '../source/source.ts';
import type { ValidRecords } from '../validate/validate.ts';
import { createAreas, type FindArea } from './areas.ts';
import { addressesOf, createEventNames, type EventNames } from './event-names.ts';

export interface Naming extends EventNames {
  readonly findArea: FindArea;
  /** The addresses that pages of events may have, for findings. */
  readonly addresses: string;
  /** Whether an earlier snapshot had an event with this id: then it is over, or was removed. */
  readonly isFormerId: (id: string) => boolean;
  /** F17: events that are not approved, and not among the records. */
  readonly heldBack: HeldBack['events'];
}

interface NamingOptions extends Pick<Naming, 'heldBack'> {
  /** I11: the address of the server's own pages. */
  readonly ownUrl: string | undefined;
  /** A17: those of the previous snapshot. */
  readonly slugs: PreviousSlugs;
  readonly report: Pick<Reporter, 'addFinding'>;
}

export function createNaming(
  valid: ValidRecords,
  { ownUrl, slugs, heldBack, report }: NamingOptions,
): Naming {
  const ownSites = ownUrl === undefined ? [] : [ownSiteAt(ownUrl)];
  const sites = { sites: [valid.licence.siteUrl, ...ownSites], eventPages: valid.knownPages };
  return {
    ...createEventNames({ ...sites, slugs }),
    findArea: createAreas({ ...valid, report }),
    addresses: addressesOf(sites),
    isFormerId: createFormerIds(slugs),
    heldBack,
  };
}
