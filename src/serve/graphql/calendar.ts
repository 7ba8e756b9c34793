/** The calendar itself, as the root field `calendar` tells of it: its licence, its snapshot, and when an answer changes next. */
import { formatOslo } from '../../calendar/time.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { one, type Shape } from './project.ts';

/** The calendar at the moment of an answer. */
interface CalendarState {
  readonly snapshot: Snapshot;
  /** D6's moment, an instant; Infinity when nothing changes any more. */
  readonly nextChange: () => number;
}

type Licence = Snapshot['lists']['licence'];

const DATA_LICENCE: Shape<NonNullable<Licence['dataLicence']>> = {
  name: 'DataLicence',
  leaves: { name: ({ name }) => JSON.stringify(name), url: ({ url }) => JSON.stringify(url) },
  links: {},
};

const CONTACT: Shape<NonNullable<Licence['contact']>> = {
  name: 'Contact',
  leaves: {
    name: ({ name }) => JSON.stringify(name),
    email: ({ email }) => JSON.stringify(email),
    url: ({ url }) => JSON.stringify(url),
  },
  links: {},
};

const SNAPSHOT: Shape<Snapshot> = {
  name: 'SnapshotInfo',
  leaves: {
    id: ({ id }) => JSON.stringify(id),
    builtAt: ({ meta }) => JSON.stringify(formatOslo(Math.floor(Date.parse(meta.builtAt) / 1_000))),
    events: ({ meta }) => String(meta.counts.events),
    occurrences: ({ meta }) => String(meta.counts.occurrences),
  },
  links: {},
};

export const CALENDAR: Shape<CalendarState> = {
  name: 'Calendar',
  leaves: {
    id: ({ snapshot }) => JSON.stringify(snapshot.lists.licence.id),
    name: ({ snapshot }) => JSON.stringify(snapshot.lists.licence.name),
    siteUrl: ({ snapshot }) => JSON.stringify(snapshot.lists.licence.siteUrl),
    portalUrl: ({ snapshot }) => JSON.stringify(snapshot.lists.licence.portalUrl),
    attribution: ({ snapshot }) => JSON.stringify(snapshot.lists.licence.attribution),
    timeZone: () => '"Europe/Oslo"',
    nextChange: ({ nextChange }) => {
      const instant = nextChange();
      return Number.isFinite(instant) ? JSON.stringify(formatOslo(instant)) : 'null';
    },
  },
  links: {
    dataLicence: one(
      () => DATA_LICENCE,
      ({ snapshot }) => snapshot.lists.licence.dataLicence,
    ),
    contact: one(
      () => CONTACT,
      ({ snapshot }) => snapshot.lists.licence.contact,
    ),
    snapshot: one(
      () => SNAPSHOT,
      ({ snapshot }) => snapshot,
    ),
  },
};

export const CALENDAR_SHAPES: readonly Shape<never>[] = [CALENDAR, DATA_LICENCE, CONTACT, SNAPSHOT];
