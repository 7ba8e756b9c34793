import type { EventRecord, Records, Source } from './records.ts';
import type { Report } from './report.ts';
import { readOrganizers, readPostalRegister, readVenues } from './validate/directories.ts';
import { createEventReader } from './validate/events.ts';
import { readLicence } from './validate/licence.ts';
import { readNotices } from './validate/notices.ts';

/**
 * Reads a source up to its events, which come as they are asked for: the licence, the directories and the ids of events are
 * all that is held in memory. What is wrong is left out and reported (G2); throws INVALID_SOURCE where that cannot be (G3).
 */
export async function validate(source: Source, report: Report): Promise<Records> {
  const valid = readLicence(await source.licence(), report);
  const register = await readPostalRegister(source.postalCodes(), report);
  const venues = await readVenues(source.venues(), register, report);
  const organizers = await readOrganizers(source.organizers(), report);
  const notices = await readNotices(source.notices(), valid.taxonomy, report);
  const reader = createEventReader({
    ...valid,
    venues: idsOf(venues),
    organizers: idsOf(organizers),
    report,
  });

  async function* events(): AsyncGenerator<EventRecord, void, undefined> {
    for await (const entry of source.events()) {
      const event = reader.read(entry);
      if (event !== null) yield event;
    }
  }

  return {
    licence: valid.licence,
    categories: valid.taxonomy.categories,
    retired: valid.taxonomy.retired,
    notices,
    venues,
    organizers,
    events,
    references: reader.references,
  };
}

function idsOf(records: readonly { readonly id: string }[]): ReadonlySet<string> {
  return new Set(records.map(({ id }) => id));
}
