/** Pages with schema.org's events as feeds (L2, L3), as the usual programs write them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readLinkedData } from '../../../../../jobs/annexes/feeds/jsonld/events.ts';
import type { FeedReader } from '../../../../../jobs/annexes/feeds/reading.ts';
import { linkedEvent } from '../../../../helpers/feed-files.ts';
import { readDocuments, refusalOf, testReadings, wordsOf } from '../../../../helpers/feed-reading.ts';
import { rowsOf } from '../../../../helpers/tables.ts';

const read = (value: unknown) => readDocuments(readLinkedData, JSON.stringify(value));
/** Reads an event with these further properties. */
const ofEvent: FeedReader = ([document], task, emit) => {
  const bytes = Buffer.from(JSON.stringify(linkedEvent(JSON.parse(String(document?.bytes)))));
  return readLinkedData([{ origin: null, bytes }], task, emit);
};
const pageOf = (...scripts: readonly string[]) =>
  `<!doctype html><html><body>\n${scripts.map((json) => `<script type="application/ld+json">${json}</script>\n`).join('')}</body></html>`;
const ONE = JSON.stringify(linkedEvent());

const test = suite('pages with events');

testReadings(
  test,
  readLinkedData,
  `
# L2: should read a page as The Events Calendar writes it
  < test/fixtures/jsonld/events-calendar.html
  = Kæra – en kveld med visesang | 2026-03-02 19:00+01:00 to 2026-03-02 21:00+01:00
    | desc_nb: <p>Sanger om å bli hjemme. <a href="https://visesang.example/">Les mer</a> […]</p>
    | organizers: Lillevik viseklubb, https://visesang.example/
    | images: https://kulturhus.example/wp-content/uploads/2026/01/kaera.jpg
    | moreInfoURL: https://kulturhus.example/arrangement/kaera/ | ticketsFromDate: 2026-01-05 00:00+00:00
    | venue: Storsalen, Kirkegata 4, 7170 Lillevik, 7170 | ticketsInformation: ticketsInfo
    | prices: REGULAR 250
  = Vinterferie-verksted | 2026-03-03 to 2026-03-05
    | moreInfoURL: https://kulturhus.example/arrangement/verksted/
    | venue: Storsalen, Kirkegata 4, 7170 Lillevik, 7170 | ticketsInformation: free | prices: none
  = Foredrag: Byens broer | 2026-03-06 18:00+01:00 to 2026-03-06 19:00+01:00 eventCancelled=true
    | mode: online | streamingURL: https://strom.example/broer
    | moreInfoURL: https://kulturhus.example/arrangement/broer/
# L2: should read a list as Localist writes it, each date an entry of its own
  < test/fixtures/jsonld/localist.html
  = Open rehearsal
    | 2026-03-02 17:30+01:00 to 2026-03-02 19:00+01:00, 2026-03-09 17:30+01:00 to 2026-03-09 19:00+01:00
    | desc_nb: The orchestra plays through its programme.
    | images: https://localist-images.example/photos/1/huge/a.jpg
    | moreInfoURL: https://events.lillevik-university.example/event/open_rehearsal
    | venue: Music Hall, Universitetsveien 1, 7170 Lillevik, 63.8311, 10.0543
  = Exhibition: Charts of the fjord | 2026-03-02 to 2026-03-20
    | moreInfoURL: https://events.lillevik-university.example/event/charts | venue: Library
    | ticketsInformation: free | prices: none
# L2: should read a series as ticket shops write it, its sub-events as dates
  < test/fixtures/jsonld/eventbrite.html
  = Keramikk-kveld | 2026-03-04 | images: https://img.example/keramikk.jpg
    | moreInfoURL: https://billetter.example/e/keramikk-123 | venue: Verkstedet, Lillevik
  = Lær å danse salsa
    | 2026-03-05 18:00+0100 to 2026-03-05 19:30+0100, 2026-03-12 18:00+0100 to 2026-03-12 19:30+0100 eventCancelled=true, 2026-03-19 18:00+0100 to 2026-03-19 19:30+0100 venue=Torget prices=REGULAR 150 eventSoldOut=true
    | desc_nb: Nybegynnerkurs | organizers: Salsa Lillevik, https://billetter.example/o/salsa
    | images: https://img.example/salsa.jpg | moreInfoURL: https://billetter.example/e/salsa-456
    | ticketsFromDate: 2026-01-01 08:00Z | venue: Danseloftet, Havnegata 2, 7170 Lillevik, 7170
    | ticketsURL: https://billetter.example/e/salsa-456/checkout | ticketsInformation: ticketsInfo
    | prices: REGULAR 150 + REGULAR 300
# L2: should take events that name a series of the same name for its dates
  [{"@type": "Event", "name": "Kor", "startDate": "2027-02-14", "url": "https://kor.example/0",
  "superEvent": {"@type": "EventSeries", "name": "Kor", "url": "https://kor.example/"}},
  {"@type": "Event", "name": "Kor", "startDate": "2027-02-21", "url": "https://kor.example/1",
  "superEvent": {"@type": "EventSeries", "name": "Kor", "url": "https://kor.example/"}}]
  = Kor | 2027-02-14, 2027-02-21 | moreInfoURL: https://kor.example/
# L2: should find a place by its reference
  [{"@type": "Place", "@id": "#place", "name": "Referert"},
  {"@type": "Event", "name": "Kor", "startDate": "2027-02-14", "location": {"@id": "#place"}}]
  = Kor | 2027-02-14 | venue: Referert
`,
);

/** Documents with the same event. */
const FORMS: Readonly<Record<string, string>> = {
  'a JSON file of one event': ONE,
  'a JSON file of a list, with a byte order mark': `\ufeff [${ONE}]`,
  '@graph': `{"@context":"https://schema.org","@graph":[{"@type":"WebPage"},${ONE}]}`,
  'an item list': `{"@type":"ItemList","itemListElement":[{"@type":"ListItem","position":1,"item":${ONE}}]}`,
  "a venue's events": `{"@type":"MusicVenue","name":"Huset","event":[${ONE}]}`,
  'a page': pageOf(ONE),
  'a page with other scripts, and comments': pageOf('{"@type":"WebSite"}', ONE).replace(
    '<body>',
    `<body><script>var a = "<b>"</script><!-- <script type="application/ld+json">${ONE.replace('Kor', 'Nei')}</script> -->`,
  ),
  'a page in capitals': pageOf(ONE).replace(
    '<script type="application/ld+json">',
    "<SCRIPT\nTYPE='application/LD+JSON; charset=utf-8' async>",
  ),
  'a CDATA section': pageOf(`//<![CDATA[\n${ONE}\n//]]>`),
  'types by their full names': ONE.replace('"Event"', '["https://schema.org/MusicEvent","Thing"]'),
  'texts with types and languages': ONE.replace('"Kor"', '[{"@value":"Kor","@language":"no"}]'),
};

for (const [what, document] of Object.entries(FORMS)) {
  test(`L2: should find an event in ${what}`, () => {
    const reading = readDocuments(readLinkedData, document);
    assert.equal([wordsOf(reading), reading.findings], [['Kor | 2027-02-14 19:00'], []]);
  });
}

/** Further properties of an event, and how it is read: `Kor` on 14 February at 19:00, if they do not change that. */
const READINGS = rowsOf(`
  {"startDate": "2027-02-14T19:00:00+01:00"} → Kor | 2027-02-14 19:00+01:00
  {"startDate": "2027-02-14T18:00:00.000Z"} → Kor | 2027-02-14 18:00Z
  {"startDate": "2027-02-14 19:00:00"} → Kor | 2027-02-14 19:00
  {"startDate": {"@type": "DateTime", "@value": "2027-02-14T19:00"}} → Kor | 2027-02-14 19:00
  {"startDate": "2027-02-14"} → Kor | 2027-02-14
  {"startDate": "2027-5-28T16:30"} → Kor | 2027-05-28 16:30
  {"startDate": "2027-5-8T16:30+0:00", "endDate": "2027-05-08T18:30:00+0:00"} → Kor | 2027-05-08 16:30+00:00 to 2027-05-08 18:30+00:00
  {"startDate": "2027-02-14", "endDate": "2027-02-16"} → Kor | 2027-02-14 to 2027-02-16
  {"startDate": "2027-02-14", "endDate": "2027-02-16T00:00:00+01:00"} → Kor | 2027-02-14 to 2027-02-15
  {"startDate": "2027-02-14T00:00:00+01:00", "endDate": "2027-02-16T23:59:59+01:00"} → Kor | 2027-02-14 to 2027-02-16
  {"startDate": "2027-02-14T19:00", "endDate": "2027-02-16"} → Kor | 2027-02-14 19:00 to 2027-02-17 00:00
  {"startDate": "2027-02-14T19:00+01:00", "endDate": "2027-02-14T20:30+01:00"} → Kor | 2027-02-14 19:00+01:00 to 2027-02-14 20:30+01:00
  {"startDate": "2027-02-14T19:00", "duration": "PT1H30M"} → Kor | 2027-02-14 19:00 for 90 min
  {"startDate": "2027-02-14T19:00", "endDate": "2027-02-14T19:00"} → Kor | 2027-02-14 19:00
  {"offers": {"price": "0.00", "priceCurrency": "NOK"}} → Kor | 2027-02-14 19:00 | ticketsInformation: free | prices: none
  {"isAccessibleForFree": true} → Kor | 2027-02-14 19:00 | ticketsInformation: free | prices: none
  {"isAccessibleForFree": {"@id": "schema:True"}} → Kor | 2027-02-14 19:00 | ticketsInformation: free | prices: none
  {"isAccessibleForFree": {"@value": "false"}} → Kor | 2027-02-14 19:00
  {"typicalAgeRange": "6-12"} → Kor | 2027-02-14 19:00 | minimumAge: 6 | maximumAge: 12
  {"typicalAgeRange": "18+"} → Kor | 2027-02-14 19:00 | minimumAge: 18
  {"name": [{"@value": "Koret", "@language": "nb-NO"}, {"@value": "The choir", "@language": "en"}]} → Koret | 2027-02-14 19:00 | title_en: The choir
  {"sameAs": ["https://kor.example", "https://www.facebook.com/events/1"]} → Kor | 2027-02-14 19:00 | facebookURL: https://www.facebook.com/events/1
  {"inLanguage": "en-GB"} → 2027-02-14 19:00 | title_en: Kor
  {"inLanguage": {"@type": "Language", "name": "English"}} → 2027-02-14 19:00 | title_en: Kor
  {"inLanguage": ["nb", "en"]} → Kor | 2027-02-14 19:00
  {"inLanguage": "de"} → Kor | 2027-02-14 19:00
  {"inLanguage": "en", "name": {"@value": "Kor", "@language": "nn"}} → Kor | 2027-02-14 19:00 | norwegian: nn
  {"inLanguage": "nn-NO"} → Kor | 2027-02-14 19:00 | norwegian: nn
  {"inLanguage": "nn", "name": {"@value": "Kor", "@language": "nb"}} → Kor | 2027-02-14 19:00
  {"name": [{"@value": "Kor", "@language": "nb"}, {"@value": "Koret", "@language": "nn"}]} → Kor | 2027-02-14 19:00
  {"name": [{"@value": "Choir", "@language": "en"}, {"@value": "Kor", "@language": "nn"}]} → Kor | 2027-02-14 19:00 | title_en: Choir | norwegian: nn
  {"eventStatus": "http://schema.org/EventCancelled"} → Kor | 2027-02-14 19:00 eventCancelled=true
  {"eventStatus": "https://example.org/event-canceled"} → Kor | 2027-02-14 19:00 eventCancelled=true
  {"eventStatus": "AVLYST"} → Kor | 2027-02-14 19:00 eventCancelled=true
  {"eventStatus": "Sold Out"} → Kor | 2027-02-14 19:00 eventSoldOut=true
  {"eventStatus": "confirmed"} → Kor | 2027-02-14 19:00
  {"eventStatus": "https://schema.org/EventRescheduled"} → Kor | 2027-02-14 19:00 status=RESCHEDULED
  {"eventStatus": "EventRescheduled", "previousStartDate": "2027-02-13T18:00"} → Kor | 2027-02-14 19:00 status=RESCHEDULED previousStart=2027-02-13 18:00
  {"previousStartDate": "2027-02-13T18:00:00+01:00"} → Kor | 2027-02-14 19:00 status=RESCHEDULED previousStart=2027-02-13 18:00+01:00
  {"eventStatus": "EventCancelled", "previousStartDate": "2027-02-13T18:00"} → Kor | 2027-02-14 19:00 eventCancelled=true
  {"eventStatus": "EventMovedOnline"} → Kor | 2027-02-14 19:00 | mode: online
  {"location": "Kulturbrygga"} → Kor | 2027-02-14 19:00 | venue: Kulturbrygga
  {"location": {"@type": "Place", "name": "Brygga", "address": "Havnegata 2, 7170 Lillevik"}} → Kor | 2027-02-14 19:00 | venue: Brygga, Havnegata 2, 7170 Lillevik
  {"location": {"@type": "Place", "name": "Brygga", "geo": {"latitude": 63.8, "longitude": "10.05"}}} → Kor | 2027-02-14 19:00 | venue: Brygga, 63.8, 10.05
  {"location": {"@type": "VirtualLocation", "url": "https://s.example"}} → Kor | 2027-02-14 19:00 | streamingURL: https://s.example
`);

for (const [properties = '', expected = ''] of READINGS) {
  test(`F4, F11, L2: should read ${properties}`, () => {
    const reading = readDocuments(ofEvent, properties);
    assert.equal([wordsOf(reading), reading.findings], [[expected], []]);
  });
}

testReadings(
  test,
  ofEvent,
  `
# L2: should repeat by the day of a schedule
  {"eventSchedule": {"@type": "Schedule", "repeatFrequency": "P1W", "byDay": "https://schema.org/Tuesday"}}
  = Kor | 2027-02-14 19:00 rule=FREQ=WEEKLY;INTERVAL=1;BYDAY=TU
# L2: should repeat by days between two dates, at the schedule’s own times, with exceptions
  {"eventSchedule": {"@type": "Schedule", "repeatFrequency": "P1W", "byDay": ["Monday", "WE", "https://schema.org/Friday"],
  "startDate": "2027-03-01", "endDate": "2027-06-30", "startTime": "18:00:00", "endTime": "19:30:00",
  "exceptDate": ["2027-03-29", "2027-05-17T18:00:00"], "scheduleTimezone": "Europe/Oslo"}}
  = Kor
    | 2027-03-01 18:00 to 2027-03-01 19:30 rule=FREQ=WEEKLY;INTERVAL=1;BYDAY=MO,WE,FR;UNTIL=20270630T235959 except=2027-03-29 18:00 + 2027-05-17 18:00
# L2: should repeat a night ten times, whatever the last day is
  {"eventSchedule": {"repeatFrequency": "Daily", "startDate": "2027-03-01", "startTime": "22:00", "endTime": "01:00",
  "repeatCount": 10, "endDate": "2027-03-05"}}
  = Kor | 2027-03-01 22:00 to 2027-03-02 01:00 rule=FREQ=DAILY;INTERVAL=1;COUNT=10
# L2: should repeat by weeks of the month, with a duration
  {"eventSchedule": {"repeatFrequency": "P1M", "byDay": "https://schema.org/Thursday", "byMonthWeek": [2, -1], "duration": "PT45M"}}
  = Kor | 2027-02-14 19:00 for 45 min rule=FREQ=MONTHLY;INTERVAL=1;BYDAY=2TH,-1TH
# L2: should repeat by the day of a year
  {"eventSchedule": {"repeatFrequency": "P1Y", "byMonth": 12, "byMonthDay": 24, "startDate": "2027-12-24"}}
  = Kor | 2027-12-24 19:00 rule=FREQ=YEARLY;INTERVAL=1;BYMONTH=12;BYMONTHDAY=24
# L2: should repeat on Norway’s clock what is written in UTC
  {"eventSchedule": {"repeatFrequency": "P2W", "startDate": "2027-02-28T23:00:00Z", "endDate": "2027-06-30T22:30:00Z"}}
  = Kor | 2027-03-01 00:00 rule=FREQ=WEEKLY;INTERVAL=2;UNTIL=20270701T003000
# A15, F4: should repeat whole days by a schedule without times
  {"startDate": "2027-02-16", "eventSchedule": [{"repeatFrequency": "P1W", "byDay": "TU", "exceptDate": "2027-03-02"}]}
  = Kor | 2027-02-16 rule=FREQ=WEEKLY;INTERVAL=1;BYDAY=TU except=2027-03-02
# L2: should give dates of a schedule without times the event’s own end
  {"endDate": "2027-02-14T21:00", "eventSchedule": {"repeatFrequency": "P1W"}}
  = Kor | 2027-02-14 19:00 to 2027-02-14 21:00 rule=FREQ=WEEKLY;INTERVAL=1
# L2: should give dates of a schedule without times the event’s own duration
  {"duration": "PT90M", "eventSchedule": {"repeatFrequency": "P1W"}}
  = Kor | 2027-02-14 19:00 for 90 min rule=FREQ=WEEKLY;INTERVAL=1
# L2: should give dates of a schedule without times the time at which a whole series ends
  {"endDate": "2027-06-06T01:00", "eventSchedule": {"repeatFrequency": "P1W"}}
  = Kor | 2027-02-14 19:00 to 2027-02-15 01:00 rule=FREQ=WEEKLY;INTERVAL=1
# L2: should give dates of a schedule without times an end two days later
  {"endDate": "2027-02-16T12:00", "eventSchedule": {"repeatFrequency": "P1W"}}
  = Kor | 2027-02-14 19:00 to 2027-02-16 12:00 rule=FREQ=WEEKLY;INTERVAL=1
# L2: should not let dates on several days of a week overlap, if the event lasts for all of them
  {"startDate": "2027-02-15T18:00", "endDate": "2027-02-17T20:00", "eventSchedule": {"repeatFrequency": "P1W", "byDay": ["MO", "TU", "WE"]}}
  = Kor | 2027-02-15 18:00 to 2027-02-15 20:00 rule=FREQ=WEEKLY;INTERVAL=1;BYDAY=MO,TU,WE
# L2: should give dates on several days of a week the event’s own end before the next one
  {"startDate": "2027-02-15T18:00", "endDate": "2027-02-16T20:00", "eventSchedule": {"repeatFrequency": "P1W", "byDay": ["MO", "TH"]}}
  = Kor | 2027-02-15 18:00 to 2027-02-16 20:00 rule=FREQ=WEEKLY;INTERVAL=1;BYDAY=MO,TH
# L2: should not let dates on several days of a month overlap
  {"startDate": "2027-02-01T18:00", "endDate": "2027-02-03T20:00", "eventSchedule": {"repeatFrequency": "P1M", "byMonthDay": [1, 2, 3]}}
  = Kor | 2027-02-01 18:00 to 2027-02-01 20:00 rule=FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=1,2,3
# L2: should give dates of a schedule without times whole days
  {"startDate": "2027-02-14", "endDate": "2027-02-15", "eventSchedule": {"repeatFrequency": "P1W"}}
  = Kor | 2027-02-14 to 2027-02-15 rule=FREQ=WEEKLY;INTERVAL=1
# L2: should give dates of a schedule the first of the whole days of a series
  {"startDate": "2027-02-14", "endDate": "2027-06-06", "eventSchedule": {"repeatFrequency": "P1W"}}
  = Kor | 2027-02-14 rule=FREQ=WEEKLY;INTERVAL=1
# L2: should give whole days of a schedule its duration
  {"startDate": "2027-02-14", "eventSchedule": {"repeatFrequency": "P1W", "duration": "P2D"}}
  = Kor | 2027-02-14 to 2027-02-15 rule=FREQ=WEEKLY;INTERVAL=1
# L2: should read offers with names, a type and a shop
  {"offers": [{"price": 250, "name": "Voksen"}, {"price": "125,50", "name": "Barn"},
  {"price": 90, "name": "Kvote", "category": "STUDENT", "url": "https://b.example/"}]}
  = Kor | 2027-02-14 19:00 | ticketsURL: https://b.example/ | ticketsInformation: ticketsInfo
    | prices: REGULAR 250 Voksen + CHILD 125.5 Barn + STUDENT 90 Kvote
# L2: should read the point of a number as a decimal point, and a price once
  {"offers": [{"price": 112.375, "highPrice": {"@value": 133.33333333333334}}, {"lowPrice": 150, "highPrice": "150"}]}
  = Kor | 2027-02-14 19:00 | ticketsInformation: ticketsInfo
    | prices: REGULAR 112.375 + REGULAR 133.33333333333334 + REGULAR 150
# L2: should read {"offers": {"price": 25, "priceCurrency": "EUR"}}
  = Kor | 2027-02-14 19:00 | ticketsInformation: ticketsInfo | prices: REGULAR null 25 EUR
  ! 1 "f:kor-989df48c" offers.priceCurrency: changed value, expected NOK (the price is kept as words), found "EUR"
# L2: should read keywords, genres and performers as categories and tags
  @ {"map": {"konsert": "MUSIC"}}
  {"keywords": "jazz, fjord", "genre": ["Konsert"], "performer": [{"@type": "Person", "name": "Kari &amp; Co"}, "Organization"]}
  = Kor | 2027-02-14 19:00 | categories: MUSIC | tags: jazz + fjord + Kari & Co
# L2: should map the type of an event to a category
  @ {"map": {"DanceEvent": "DANCE"}}
  {"@type": "DanceEvent"}
  = Kor | 2027-02-14 19:00 | categories: DANCE
# L2: should read {"image": [{"@type": "ImageObject", "url": "https://i.example/a.jpg", "caption": "Koret"}, "bilde.jpg"]}
  = Kor | 2027-02-14 19:00 | images: https://i.example/a.jpg Koret
  ! 1 "f:kor-989df48c" image: changed value, expected the http or https URL of an image, found "bilde.jpg"
# G2, L2: should report the status {"eventStatus": "https://schema.org/EventPostponed"}
  = Kor | 2027-02-14 19:00 status=POSTPONED
  ! 1 "f:kor-989df48c" eventStatus: changed value, expected a new date (without one, it is shown as postponed), found "EventPostponed"
# G2, L2: should report the status {"eventStatus": "utsatt"}
  = Kor | 2027-02-14 19:00 status=POSTPONED
  ! 1 "f:kor-989df48c" eventStatus: changed value, expected a new date (without one, it is shown as postponed), found "utsatt"
# G2, L2: should report the status {"eventStatus": "TBD"}
  = Kor | 2027-02-14 19:00
  ! 1 "f:kor-989df48c" eventStatus: changed value, expected a status such as EventScheduled or EventCancelled (it is ignored), found "TBD"
# F11: should find a place with the parts of its address
  {"location": {"@type": "Place", "name": "Brygga", "address": {"streetAddress": "Havnegata 2", "postalCode": 7170,
  "addressLocality": "Lillevik", "addressCountry": {"@type": "Country", "name": "NO"}}}}
  = Kor | 2027-02-14 19:00 | venue: Brygga, Havnegata 2, 7170 Lillevik, 7170
# F11: should find a place in another country
  {"location": {"@type": "Place", "address": {"streetAddress": "Storgatan 1", "addressLocality": "Östersund", "addressCountry": "SE"}}}
  = Kor | 2027-02-14 19:00 | venue: Storgatan 1, Storgatan 1, Östersund, SE
# F11: should find a place by the name in its address
  {"location": {"@type": "Place", "address": {"@type": "PostalAddress", "name": "Storsalen", "addressLocality": "Lillevik"}}}
  = Kor | 2027-02-14 19:00 | venue: Storsalen, Lillevik
# F11: should find the place beside a stream
  {"location": [{"@type": "VirtualLocation", "url": "https://s.example"}, {"@type": "Place", "name": "Brygga"}]}
  = Kor | 2027-02-14 19:00 | streamingURL: https://s.example | venue: Brygga
# F11, G2: should report a position without a name
  {"location": {"@type": "Place", "geo": {"latitude": "63.8", "longitude": "10.1"}}}
  = Kor | 2027-02-14 19:00
  ! 1 "f:kor-989df48c" location.geo: changed value, expected a name or an address beside it, found "63.8, 10.1"
# F11, G2: should report a place without a name
  {"location": {"@type": "Place", "description": "Under brua"}}
  = Kor | 2027-02-14 19:00
  ! 1 "f:kor-989df48c" location: changed value, expected a place with a name or an address, found {"@type":"Place","description":"Under brua"}
# F11, G2: should report a second place
  {"location": [{"name": "Storsalen"}, {"name": "Kafeen"}]}
  = Kor | 2027-02-14 19:00 | venue: Storsalen
  ! 1 "f:kor-storsalen-109f7b36" location: changed value, expected one place (the first one is used), found "Kafeen"
# L2: should read a dash as no place and no organizer
  {"location": {"@type": "Place", "name": "-", "address": "-"}, "organizer": {"name": "–"}}
  = Kor | 2027-02-14 19:00
  ! 1 "f:kor-a5513690" location: changed value, expected a place with a name or an address, found {"@type":"Place","name":"-","address":"-"}
`,
);

test('L2: should make a festival the container of its programme in each way to write it', () => {
  const festival = { '@type': 'Festival', '@id': 'https://fest.example/#2027', name: 'Vinterfest' };
  const programme = [
    linkedEvent({ url: 'https://fest.example/1' }),
    linkedEvent({ name: 'Quiz', url: 'https://fest.example/2' }),
  ];
  const partsOf = (superEvent: unknown) => programme.map((item) => ({ ...item, superEvent }));
  const ways: Readonly<Record<string, unknown>> = {
    subEvent: { ...festival, subEvent: programme },
    superEvent: partsOf(festival),
    'references to what it is part of': [festival, ...partsOf({ '@id': festival['@id'] })],
    'addresses of what it is part of': [...partsOf(festival['@id']), festival],
    'references to its parts': [
      { ...festival, subEvent: programme.map(({ url }) => ({ '@id': url })) },
      ...programme.map((item) => ({ ...item, '@id': item.url })),
    ],
  };
  for (const [way, value] of Object.entries(ways)) {
    const { events, findings } = read(value);
    const shown = events.map(({ title_nb, isSuperEvent, superEvent }) => [
      title_nb,
      isSuperEvent ?? superEvent,
    ]);
    const container = 'f:https://fest.example/#2027';
    const expected = [
      ['Kor', container],
      ['Quiz', container],
      ['Vinterfest', true],
    ];
    assert.equal([shown.sort(), findings], [expected, []], way);
  }
});

test('L2: should give events of one address, or of one name and place, one id only if they are one event', () => {
  const here = { '@type': 'Place', name: 'Her' };
  const { events, counts } = read([
    linkedEvent({ url: 'https://a.example/' }),
    linkedEvent({ url: 'https://a.example/', name: 'Quiz' }),
    linkedEvent({ location: here }),
    linkedEvent({ location: here, startDate: '2027-02-15T19:00' }),
    linkedEvent({ location: 'Der' }),
  ]);
  assert.equal(counts, { entries: 5, events: 4, merged: 1, dropped: 0 });
  assert.is(new Set(events.map(({ id }) => id)).size, 4);
  assert.is(events[0]?.id, 'f:https://a.example/');
});

test('L3: should refuse a page without linked data', () => {
  assert.match(refusalOf(readLinkedData, '<!doctype html><p>Logg inn</p>'), /^unreadable answer: /);
});

test('L3: should refuse deeply nested data', () => {
  const nested = `${'['.repeat(100)}${']'.repeat(100)}`;
  assert.match(refusalOf(readLinkedData, pageOf(nested)), /^unreadable answer: /);
});

test('L3: should refuse more than a million dates', () => {
  const eventSchedule = { repeatFrequency: 'P1D' };
  const flood = Array.from({ length: 2_000 }, (_, at) =>
    linkedEvent({ name: `Kor ${at}`, startDate: '2026-01-01', eventSchedule }),
  );
  assert.match(refusalOf(readLinkedData, JSON.stringify(flood)), /^size limit: /);
});

test('L2: should read ten thousand events that refer to each other in a circle', () => {
  const chain = Array.from({ length: 10_000 }, (_, at) =>
    linkedEvent({ '@id': `#${at}`, name: `Kor ${at}`, subEvent: { '@id': `#${(at + 1) % 10_000}` } }),
  );
  assert.is(read(chain).counts.events, 10_000);
});

test('L2: should merge the events of several pages, and name the page of each finding', () => {
  const scripts = [
    linkedEvent({ url: '/kor', image: '//i.example/a.jpg' }),
    linkedEvent({ url: '/kor', endDate: 'sent', startDate: '2027-02-15' }),
  ];
  const [first = '', last = ''] = scripts.map((value) => pageOf(JSON.stringify(value)));
  const pages = [first, null, '<p>tomt</p>', last].map((text) => {
    return { origin: 'https://a.example', bytes: text === null ? null : Buffer.from(text) };
  });
  const reading = readDocuments(readLinkedData, pages);
  assert.equal(wordsOf(reading), [
    'Kor | 2027-02-14 19:00, 2027-02-15 | images: https://i.example/a.jpg | moreInfoURL: https://a.example/kor',
  ]);
  const expected = 'JSON, or a page with a script of the type application/ld+json, or with microdata';
  assert.equal(reading.findings, [
    `pages[1]: dropped reference, expected ${expected}, found a page that no longer exists`,
    `pages[2]: dropped reference, expected ${expected}, found a page without it`,
    '"f:/kor" pages[3].endDate: changed value, expected a date or time such as 2027-02-14 or 2027-02-14T19:00:00+01:00, found "sent"',
  ]);
});

testReadings(
  test,
  readLinkedData,
  `
# L0: should read the titles of events on pages, and of their sub-events
  [{"@type": "Event", "name": "AVLYST: Korøvelse", "startDate": "2026-03-02T19:00"},
  {"@type": "Event", "name": "Korøvelse", "startDate": "2026-03-09T19:00"},
  {"@type": "Event", "name": "Revy", "startDate": "2026-03-01T19:00", "subEvent": [
  {"@type": "Event", "name": "Revy", "startDate": "2026-03-02T19:00"},
  {"@type": "Event", "name": "Revy &#8211; AVLYST", "startDate": "2026-03-03T19:00"},
  {"@type": "Event", "name": "Revy utsolgt", "startDate": "2026-03-04T19:00"}]},
  {"@type": "Event", "name": "Quiz (utsatt)", "startDate": "2026-03-05T19:00"}]
  = Korøvelse | 2026-03-02 19:00 eventCancelled=true, 2026-03-09 19:00
  = Revy | 2026-03-02 19:00, 2026-03-03 19:00 eventCancelled=true, 2026-03-04 19:00 eventSoldOut=true
  = Quiz (utsatt) | 2026-03-05 19:00 status=POSTPONED
  ! 1 "f:quiz-6d1a1fd2" name: changed value, expected a new date (without one, it is shown as postponed), found "Quiz (utsatt)"
`,
);

test.run();
