/** I11: the headings of the list, in everyday words for its filters. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { open, type Site, withSite } from './calendar.ts';

const test = withSite(suite<Site>('headings of the site'));

interface Heading {
  readonly search: string;
  readonly nb: string;
  readonly en: string;
  readonly nn: string;
}

const HEADINGS: readonly Heading[] = [
  { search: '', nb: 'Hva skjer', en: 'What’s on', nn: 'Kva skjer' },
  {
    search: 'period=WEEKEND',
    nb: 'Hva skjer i helgen',
    en: 'What’s on this weekend',
    nn: 'Kva skjer i helga',
  },
  {
    search: 'categories=JAZZ&fromStartDate=2026-02-08&untilDate=2026-02-09',
    nb: 'Jazz søndag 8. februar',
    en: 'Jazz Sunday 8 February',
    nn: 'Jazz søndag 8. februar',
  },
  {
    search: 'fromDate=2026-02-07&untilDate=2026-02-09',
    nb: 'Lørdag 7. februar – søndag 8. februar',
    en: 'Saturday 7 February – Sunday 8 February',
    nn: 'Laurdag 7. februar – søndag 8. februar',
  },
  { search: 'near=63.43,10.4,10', nb: 'Nær deg', en: 'Near you', nn: 'Nær deg' },
  {
    search: 'near=63.43,10.4,10&period=TODAY',
    nb: 'Hva skjer nær deg i dag',
    en: 'What’s on near you today',
    nn: 'Kva skjer nær deg i dag',
  },
  {
    search: 'near=63.43,10.4,10&municipality=Trondheim',
    nb: 'Nær deg i Trondheim',
    en: 'Near you in Trondheim',
    nn: 'Nær deg i Trondheim',
  },
  {
    search: 'near=63.43,10.4,10&municipality=Trondheim&period=TODAY',
    nb: 'Hva skjer nær deg i Trondheim i dag',
    en: 'What’s on near you in Trondheim today',
    nn: 'Kva skjer nær deg i Trondheim i dag',
  },
  {
    search: 'municipality=Trondheim&free=true',
    nb: 'Hva skjer i Trondheim · gratis',
    en: 'What’s on in Trondheim · free',
    nn: 'Kva skjer i Trondheim · gratis',
  },
  {
    search: 'fromDate=2027-02-07',
    nb: 'Fra søndag 7. februar 2027',
    en: 'From Sunday 7 February 2027',
    nn: 'Frå søndag 7. februar 2027',
  },
  {
    search: 'untilDate=2026-02-09',
    nb: 'Til og med søndag 8. februar',
    en: 'Until Sunday 8 February',
    nn: 'Til og med søndag 8. februar',
  },
  { search: 'free=true', nb: 'Gratis', en: 'Free', nn: 'Gratis' },
];

for (const { search, nb, en, nn } of HEADINGS) {
  test(`I11: should be headed “${en}” for ${search || 'no parameters'}`, async ({ running }) => {
    const path = `/events.html?${search}`;
    assert.match((await open(running, path, 'nb')).html, `<h1>${nb}</h1>`);
    assert.match((await open(running, path, 'en')).html, `<h1>${en}</h1>`);
    assert.match((await open(running, path, 'nn')).html, `<h1>${nn}</h1>`);
  });
}

test.run();
