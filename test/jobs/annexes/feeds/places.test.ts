/** Places as people and programs write them in tables, on pages and in calendars. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readPlace } from '../../../../jobs/annexes/feeds/places.ts';
import { tableOf } from '../../../helpers/tables.ts';

const test = suite('places of feeds');

/** `read` has the name, address, postal code, municipality and position that a venue has, with ` | ` between. */
const PLACES = tableOf(
  ['what', 'written', 'read'],
  String.raw`
  a text of name and address → {"text": "Olavshallen, Kjøpmannsgata 44, 7010 Trondheim"} → Olavshallen | Kjøpmannsgata 44, 7010 Trondheim
  a text of two lines → {"text": "Olavshallen\nTrondheim"} → Olavshallen | Trondheim
  a text that is an address → {"text": "Havnegata 2, 7170 Lillevik"} → Havnegata 2 | Havnegata 2, 7170 Lillevik
  a name with a comma → {"name": "Torget, nedre"} → Torget, nedre
  a name with its address → {"name": "Brygga, Havnegata 2, 7170 Lillevik"} → Brygga | Havnegata 2, 7170 Lillevik
  an address as a text, and no name → {"address": "Havnegata 2, 7170 Lillevik"} → Havnegata 2 | Havnegata 2, 7170 Lillevik
  an address with the name in it
    → {"address": {"name": "Brygga", "street": "Havnegata 2", "postalCode": "7170", "locality": "Lillevik", "country": "NO"}} → Brygga | Havnegata 2, 7170 Lillevik | 7170
  an address with another name in it → {"name": "Lille sal", "address": {"name": "Brygga", "street": "Havnegata 2"}} → Lille sal | Brygga, Havnegata 2
  an address that is the name → {"name": "Brygga", "address": "Brygga"} → Brygga
  an address that begins with the name → {"name": "Brygga", "address": "Brygga, Havnegata 2"} → Brygga | Havnegata 2
  a town of its own
    → {"name": "Brygga", "address": "Havnegata 2", "postalCode": "7170", "locality": "Lillevik"} → Brygga | Havnegata 2, 7170 Lillevik | 7170
  a town that the address has as well
    → {"name": "Brygga", "address": "Havnegata 2, 7170 Lillevik", "postalCode": "7170", "locality": "Lillevik"} → Brygga | Havnegata 2, 7170 Lillevik | 7170
  a postal code with its town → {"name": "Brygga", "postalCode": "NO-7170 Lillevik"} → Brygga | 7170 Lillevik | 7170
  a postal code without its zero → {"name": "Brygga", "postalCode": "150"} → Brygga | 0150
  a place in another country
    → {"name": "Hall", "address": {"street": "Main 1", "locality": "Portland", "region": "OR", "country": "US"}} → Hall | Main 1, Portland, OR, US
  a town that the street says already
    → {"name": "Brygga", "address": "Havnegata 2, Lillevik", "postalCode": "7170", "locality": "Lillevik"} → Brygga | Havnegata 2, 7170 Lillevik | 7170
  a town that the street says with its code, and the country
    → {"name": "Brygga", "address": "Havnegata 2, 7170 Lillevik, Norge", "locality": "LILLEVIK"} → Brygga | Havnegata 2, 7170 Lillevik, Norge
  a street that is called like a town → {"name": "Brygga", "address": "Oslo gate 3", "locality": "Oslo"} → Brygga | Oslo gate 3, Oslo
  a town alone → {"address": {"locality": "Lillevik"}} → Lillevik
  a municipality alone → {"municipality": "Lillevik"} → Lillevik | Lillevik
  a position with decimal commas → {"name": "Brygga", "latitude": "63,83", "longitude": "10,05"} → Brygga | 63.83 | 10.05
  a position in one text → {"name": "Brygga", "latitude": "63.83, 10.05"} → Brygga | 63.83 | 10.05
  a position with a blank between → {"name": "Brygga", "latitude": "63.83 10.05"} → Brygga | 63.83 | 10.05
  a position with more decimals than a map needs
    → {"name": "Brygga", "latitude": 60.385208000000006, "longitude": 5.3220540000000005} → Brygga | 60.385208000000006 | 5.3220540000000005
  a position with as many decimals in one text → {"name": "Brygga", "latitude": "51.4779, -0.0014765432109876543"} → Brygga | 51.4779 | -0.0014765432109876543
  a position near Greenwich → {"name": "Brygga", "latitude": 51.4779, "longitude": 1e-7} → Brygga | 51.4779 | 1e-7
  a position with an exponent in a table → {"name": "Brygga", "latitude": "51,4779", "longitude": "-1.5E-05"} → Brygga | 51.4779 | -0.000015
  a position as iCalendar has it → {"name": "Brygga", "latitude": "63.83;10.05"} → Brygga | 63.83 | 10.05
`,
);

for (const { what, written, read } of PLACES) {
  test(`L1, L2: should read ${what}`, () => {
    const { venue, stream, lost } = readPlace(JSON.parse(written));
    const parts = Object.values(venue ?? {}).filter((value) => value !== null);
    assert.is(parts.join(' | '), read);
    assert.equal({ stream, lost }, { stream: null, lost: [] });
  });
}

test('L2: should read a URL as the stream, and the address beside it as the place', () => {
  const stream = 'https://strom.example/a';
  assert.equal(readPlace({ text: stream }), { venue: null, stream, isOnline: true, lost: [] });
  const both = readPlace({ name: stream, address: 'Havnegata 2' });
  assert.equal([both.stream, both.venue?.name], [stream, 'Havnegata 2']);
});

/** Texts of online events, with the address of the stream or null. */
const ONLINE: Readonly<Record<string, string | null>> = {
  Zoom: null,
  'zoom meeting': null,
  'Microsoft Teams': null,
  'Google Meet': null,
  Webex: null,
  Digitalt: null,
  'DIGITALT (Teams)': null,
  Nettmøte: null,
  Online: null,
  'Virtual event': null,
  Virtual: null,
  Webinar: null,
  'Online via Zoom': null,
  'Zoom: https://zoom.example/j/1?pwd=a': 'https://zoom.example/j/1?pwd=a',
  'https://zoom.example/j/1, https://zoom.example/j/2': 'https://zoom.example/j/1',
};

for (const [text, stream] of Object.entries(ONLINE)) {
  test(`L4: should read "${text}" as online, without a venue`, () => {
    assert.equal(readPlace({ text }), { venue: null, stream, isOnline: true, lost: [] });
  });
}

for (const text of [
  'Kulturhuset',
  'Zoom kafé',
  'Digitalt museum',
  'Teams hus, Gata 1',
  'Møterom 3',
  'Event',
  'Online kirke',
]) {
  test(`L4: should read "${text}" as a venue`, () => {
    const { venue, isOnline } = readPlace({ text });
    assert.equal([venue?.name, isOnline], [text.split(',')[0], false]);
  });
}

test('L4: should keep the address of a venue that is called Zoom', () => {
  const { venue, isOnline } = readPlace({ name: 'Zoom', address: 'Havnegata 2, 7170 Lillevik' });
  assert.equal([venue?.name, isOnline], ['Havnegata 2', true]);
});

/** Places with a part that cannot be read, and the finding about it. */
const LOST = tableOf(
  ['written', 'part', 'found'],
  `
  {"latitude": 63.83, "longitude": 10.05} → position → 63.83, 10.05
  {"name": "Brygga", "latitude": 0, "longitude": 0} → position → 0, 0
  {"name": "Brygga", "latitude": "63.83"} → position → 63.83
  {"name": "Brygga", "latitude": "nord", "longitude": "10.05"} → position → nord, 10.05
  {"name": "Brygga", "latitude": 91, "longitude": 10} → position → 91, 10
  {"name": "Brygga", "latitude": "63 26", "longitude": "10 24"} → position → 63 26, 10 24
  {"name": "Brygga", "latitude": "63 26"} → position → 63 26
  {"postalCode": "7170"} → postalCode → 7170
`,
);

for (const { written, part, found } of LOST) {
  test(`G2: should report the unreadable part of ${written}`, () => {
    const lost = readPlace(JSON.parse(written)).lost.map((one) => ({ part: one.part, found: one.found }));
    assert.equal(lost, [{ part, found }]);
  });
}

for (const written of [
  { text: '-' },
  { name: '–', address: '-' },
  { name: '...', address: { street: '—' } },
]) {
  test(`L2: should read the dashes of ${JSON.stringify(written)} as no venue`, () => {
    assert.equal(readPlace(written), { venue: null, stream: null, isOnline: false, lost: [] });
  });
}

test.run();
