/** sources.json: the lists of feeds that are refused, and the secrets that no refusal repeats. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readFeeds } from '../../../../jobs/annexes/feeds/config.ts';
import { CalendarError } from '../../../../src/calendar/errors.ts';
import { assertDefined } from '../../../helpers/assertions.ts';
import { SOME_KIND, withKindsIn } from '../../../helpers/feed-kinds.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { tableOf } from '../../../helpers/tables.ts';

const test = suite('sources.json');

/** The error with which a list of feeds is refused. */
async function refusalOf(written: string): Promise<CalendarError> {
  try {
    await readFeeds(sourceFolder({ 'sources.json': written }));
  } catch (thrown) {
    if (thrown instanceof CalendarError) return thrown;
    throw thrown;
  }
  throw new Error('expected a refusal, found that the list was read');
}

const URGENT_51 = Array.from(
  { length: 51 },
  (_, at) => `{"id": "s${at}", "kind": "corrections", "file": "x", "urgent": true}`,
).join();
const PAGES_201 = Array.from({ length: 201 }, () => '"https://x.example/"').join();

const REFUSED = tableOf(
  ['what', 'written', 'message'],
  `
  an object in place of the list → {} → sources.json: expected an array, found {}
  a feed without an address → [{"id": "a", "kind": "ical"}] → sources.json:1 "a": expected either "url" or "file"
  an FTP address → [{"id": "a", "kind": "ical", "url": "ftp://x.example/"}]
    → sources.json:1 "a" url: expected an http or https URL, found "ftp://x.example/"
  an unknown kind → [{"id": "a", "kind": "rss", "url": "https://x.example/"}]
    → sources.json:1 "a" kind: expected ${SOME_KIND}, found "rss"
  a format of dates that is not for a table → [{"id": "a", "kind": "ical", "file": "x", "format": "DD.MM.YYYY"}]
    → sources.json:1 "a" format: expected only for kind "csv" or "corrections", found kind "ical"
  an alert to nobody's address → [{"id": "a", "kind": "ical", "file": "x", "alert": ["desk"]}]
    → sources.json:1 "a" alert[0]: expected a list of up to 10 addresses such as "desk@lillevik.example", found "desk"
  a sheet of a calendar → [{"id": "a", "kind": "ical", "file": "x", "sheet": "Ark1"}]
    → sources.json:1 "a" sheet: expected only for kind "csv", "corrections", "venues" or "feeds", found kind "ical"
  a format without a day → [{"id": "a", "kind": "csv", "file": "x", "format": "HH:mm"}]
    → sources.json:1 "a" format: expected how dates are written, such as "DD.MM.YYYY HH:mm", found "HH:mm"
  several addresses of a calendar → [{"id": "a", "kind": "ical", "url": ["https://x.example/"]}]
    → sources.json:1 "a" url: expected one URL, found a list
  an endpoint in a file → [{"id": "a", "kind": "graphql", "file": "x"}] → sources.json:1 "a" url: expected the URL of an endpoint
  a time zone of an endpoint → [{"id": "a", "kind": "graphql", "url": "https://x.example/", "timeZone": "Europe/Oslo"}]
    → sources.json:1 "a" timeZone: expected only for kind "ical" or "csv", found kind "graphql"
  links to follow in a file → [{"id": "a", "kind": "jsonld", "file": "x", "follow": "/a/"}]
    → sources.json:1 "a" follow: expected only for kind "jsonld" with one "url"
  a repeated id → [{"id": "a", "kind": "ical", "file": "x"}, {"id": "a", "kind": "ical", "file": "x"}]
    → sources.json:1 "a" id: expected a unique id, found "a", which sources.json:1 has
  categories that are not a list → [{"id": "a", "kind": "ical", "file": "x", "defaults": {"categories": "MUSIC"}}]
    → sources.json:1 "a" defaults.categories: expected a list of strings, found "MUSIC"
  a blank municipality → [{"id": "a", "kind": "ical", "file": "x", "defaults": {"municipality": " "}}]
    → sources.json:1 "a" defaults.municipality: expected the name or the four-digit number of a municipality, found " "
  a municipality of a correction sheet → [{"id": "a", "kind": "corrections", "file": "x", "defaults": {"municipality": "Oslo"}}]
    → sources.json:1 "a" defaults: expected only for feeds with events, found kind "corrections"
  a second approval without the first → [{"id": "a", "kind": "csv", "file": "x", "approveAgainAfterChange": true}]
    → sources.json:1 "a" approveAgainAfterChange: expected only beside "needsApproval", found true
  a series of a feed that needs approval → [{"id": "a", "kind": "csv", "file": "x", "series": "title", "needsApproval": true}]
    → sources.json:1 "a" series: expected nothing beside "needsApproval", found "title"
  municipalities of a table with events → [{"id": "a", "kind": "csv", "file": "x", "municipalities": ["Oslo"]}]
    → sources.json:1 "a" municipalities: expected only for kind "corrections" or "feeds", found kind "csv"
  a sheet for no municipality → [{"id": "a", "kind": "corrections", "file": "x", "municipalities": []}]
    → sources.json:1 "a" municipalities: expected a list of names or four-digit numbers of municipalities, found []
  an urgent table with events → [{"id": "a", "kind": "csv", "file": "x", "urgent": true}]
    → sources.json:1 "a" urgent: expected only for kind "corrections", found kind "csv"
  51 urgent sheets → [${URGENT_51}] → sources.json:1 "s50" urgent: expected at most 50 urgent sheets, found more
  201 pages → [{"id": "a", "kind": "jsonld", "url": [${PAGES_201}]}]
    → sources.json:1 "a" url: expected at most 200 pages, found 201
  100,000 nested lists → ${'['.repeat(100_000)}${']'.repeat(100_000)}
    → sources.json: expected JSON, found a value nested deeper than 64 levels
  a repeated field → [{ "id": "hall", "kind": "ical", "file": "a.ics", "file": "b.ics" }]
    → sources.json:1 "hall": expected each field once, found "file" more than once
`,
);

for (const { what, written, message } of REFUSED) {
  withKindsIn(written, test)(`G3: should refuse ${what}`, async () =>
    assert.is((await refusalOf(written)).message, message),
  );
}

const ID = 'a name of at most 64 lower-case letters, digits, hyphens and underscores';

/** Lists with a password or token, `hemmelig`, in an address, or in a text that resembles one. */
const SECRETS = tableOf(
  ['where', 'written', 'message'],
  `
  a misspelled address → [{"id": "hall", "kind": "ical", "url": "htps://hall:hemmelig@hall.example/a.ics"}]
    → sources.json:1 "hall" url: expected an http or https URL, found "htps://***@hall.example/a.ics"
  a password with a blank → [{"id": "hall", "kind": "ical", "url": ["htps://kari:hem#me lig@hall.example/"]}]
    → sources.json:1 "hall" url[0]: expected an http or https URL, found "htps://***@hall.example/"
  a query after a long path → [{"id": "hall", "kind": "ical", "url": "htps://hall.example/${'a'.repeat(80)}@?expected=hemmelig"}]
    → sources.json:1 "hall" url: expected an http or https URL, found "htps://***@?***"
  an address without a scheme → [{"id": "hall", "kind": "ical", "url": "hall.example/?source=web&token=hemmelig"}]
    → sources.json:1 "hall" url: expected an http or https URL, found "hall.example/?***"
  an address as the id → [{"id": "https://kari:hemmelig@hall.example/", "kind": "ical"}]
    → sources.json:1 "https://***@hall.example/" id: expected ${ID}, found "https://***@hall.example/"
  a feed that is refused for its kind → [{"id": "hall", "kind": "fax", "url": "https://kari:hemmelig@hall.example/?url=hemmelig"}]
    → sources.json:1 "hall" kind: expected ${SOME_KIND}, found "fax"
  an object in place of the list → {"id": "hall", "url": "https://kari:hemmelig@hall.example/"}
    → sources.json: expected an array, found {"id":"hall","url":"https://***@hall.example/"}
  JSON with a missing comma → [{"id": "hall", "url": "https://kari:hemmelig@hall.example/" "kind": "ical"}]
    → sources.json:1: expected JSON, but a comma is missing after "https://***@hall.example/"
  JSON with a missing comma, after an address with escapes
    → [{"id": "hall", "url": "https:\\/\\/kari:hemmelig\\u0040hall.example\\u003Ftoken=hemmelig" "kind": "ical"}]
    → sources.json:1: expected JSON, but a comma is missing after "***@hall.example?***"
  an address as the name of a field → [{"https://hall.example/?token=hemmelig": "ical", "id": "hall", "kind": "ical"}]
    → sources.json:1 "hall": expected one of id, kind, url, file, follow, name, link, licence, defaults, map, language, apiKeyEnv, keepIds, categories, mayBeEmpty, expectChangesWithinDays, alert, needsApproval, approveAgainAfterChange, urgent, feeds, municipalities, series, columns, format, sheet, timeZone, maxMegabytes, timeoutSeconds, redirects, found "https://hall.example/?***"
`,
);

for (const { where, written, message } of SECRETS) {
  test(`H8: should not repeat the secret in ${where}`, async () => {
    const refusal = await refusalOf(written);
    assert.is(refusal.message, message);
    assertDefined(refusal.publicMessage, 'a message without values of records');
    assert.not.match(refusal.publicMessage, 'hemmelig');
  });
}

test.run();
