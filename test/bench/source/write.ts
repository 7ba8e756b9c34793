/** Writes the made-up calendar as a native source. The same seed, size and day give the same bytes. */
import { once } from 'node:events';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { seeded } from '../../helpers/random-operations.ts';
import { type DatesKind, makeEvent } from './events.ts';
import { LICENCE, makeOrganizers, makeVenues } from './taxonomy.ts';

export interface MadeSource {
  readonly folder: string;
  readonly events: number;
  readonly seed: number;
  /** Milliseconds since 1970. No date is over before the day after this. */
  readonly now: number;
  readonly dates: DatesKind;
}

/** Lines that are handed to the file at a time. */
const BATCH = 500;
const DAY = 86_400_000;

export async function writeSource({ folder, events, seed, now, dates }: MadeSource): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const random = seeded(seed);
  const firstDay = (Math.floor(now / DAY) + 2) * DAY;
  writeFileSync(join(folder, 'licence.json'), JSON.stringify(LICENCE));
  writeFileSync(join(folder, 'venues.json'), JSON.stringify(makeVenues(random)));
  writeFileSync(join(folder, 'organizers.json'), JSON.stringify(makeOrganizers(random)));
  const file = createWriteStream(join(folder, 'events.ndjson'));
  for (let first = 0; first < events; first += BATCH) {
    let lines = '';
    for (let place = first; place < Math.min(first + BATCH, events); place++) {
      lines += `${JSON.stringify(makeEvent(random, place, { firstDay, dates }))}\n`;
    }
    if (!file.write(lines)) await once(file, 'drain');
  }
  file.end();
  await finished(file);
}
