/** I5: what the element requests, and what the endpoint answers. */
import { isInputObjectType } from 'graphql';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { schema } from '../../../../src/serve/graphql/schema.ts';
import { assertAbove } from '../../../helpers/assertions.ts';
import { portOf } from '../../../helpers/port.ts';
import { type Context, isOfEmbed, requested, shown, visit } from './host-page.ts';

/** They share the calendar and the browser of `embed.test.ts`. */
export function addRequestTests(embed: Test<Context>): void {
  embed(
    'I5: should send a GET without a preflight, with the origin of its page and its key',
    async (context) => {
      context.accesses.length = 0;
      // This page lets its links and requests tell its whole address.
      const before = '<meta name="referrer" content="unsafe-url">';
      await visit(context, { before }, async (page) => {
        await shown(page);
        const request = page.waitForRequest((sent) => isOfEmbed(new URL(sent.url())));
        assert.match(await requested(page, [['key', 'some-key']]), /[?&]key=some-key$/);
        const { origin, referer } = await (await request).allHeaders();
        assert.is(origin, new URL(page.url()).origin);
        assert.is(referer, undefined);
        await page.locator('almanakk-events').nth(1).locator('li').nth(4).waitFor();
      });
      const lists = context.accesses.filter(({ route }) => route !== '/embed.js');
      assert.equal([...new Set(lists.map(({ method, route }) => `${method} ${route}`))], ['GET /embed.json']);
      assert.equal(
        [...new Set(lists.map(({ caller }) => caller.pageHost))],
        [`127.0.0.1:${portOf(context.host)}`],
      );
    },
  );

  embed('I5: should get the events of the endpoint, for each attribute of the filter', async (context) => {
    const type = schema.getType('Filter');
    const names = isInputObjectType(type) ? Object.keys(type.getFields()) : [];
    assert.equal(Object.keys(SELECTIONS).sort(), names.sort());
    const { calendar } = context;
    const counts = new Set<number>();
    await visit(context, {}, async (page) => {
      await shown(page);
      for (const [name, { value, filter }] of Object.entries(SELECTIONS)) {
        const address = await requested(page, [
          [name, value],
          ['limit', '9'],
        ]);
        const { status, text } = await calendar.send(address);
        assert.is(status, 200, address);
        const list = JSON.parse(text);
        const expected = await calendar.ask<Answer>(QUERY, { filter: { [name]: filter } });
        assert.equal(list.events, expected.events.data, address);
        assert.equal(list.calendar, { ...expected.calendar, language: 'nb' }, address);
        counts.add(list.events.length);
      }
    });
    assertAbove(counts.size, 3, 'lengths of lists');
  });

  embed('I5, D6: should get equal lists from one address, which caches store', async (context) => {
    const { calendar } = context;
    await visit(context, {}, async (page) => {
      await shown(page);
      const address = await requested(page, [
        ['limit', '3'],
        ['lang', 'en'],
        ['categories', 'JAZZ,ART'],
        ['mode', 'offline'],
      ]);
      const other = await requested(page, [
        ['mode', 'offline'],
        ['categories', ' ART, JAZZ'],
        ['heading', 'Det skjer'],
        ['limit', '3'],
      ]);
      assert.is(other, address);
      const { headers } = await calendar.send(address);
      assert.match(headers['cache-control'] ?? '', /^public, max-age=\d+$/);
      assert.is(headers['access-control-allow-origin'], '*');
      const again = await calendar.send(address, { headers: { 'if-none-match': headers.etag ?? '' } });
      assert.is(again.status, 304);
      const keyed = await calendar.send(`${address}&key=some-key`);
      assert.match(keyed.headers['cache-control'] ?? '', /^private, /);
    });
  });

  embed('I5: should log a filter that is too long for an address', async (context) => {
    const ids = Array.from({ length: 300 }, (_, at) => `00000000-0000-0000-0000-${at}`).join(' ');
    await visit(context, {}, async (page, findings) => {
      await shown(page);
      await page
        .locator('almanakk-events')
        .evaluate((element, value) => element.setAttribute('ids', value), ids);
      await page.getByText('Kalenderen svarer ikke akkurat nå.').waitFor();
      assert.match(findings.join(), /expected a filter whose address has at most 8000 characters, found \d+/);
    });
  });
}

interface Selection {
  /** The attribute's value. */
  readonly value: string;
  /** The same value in a query. */
  readonly filter: unknown;
}

/** A value of each field of the filter. */
const SELECTIONS: Readonly<Record<string, Selection>> = {
  ids: { value: ' now  days ', filter: ['now', 'days'] },
  categories: { value: 'JAZZ, ART,', filter: ['JAZZ', 'ART', ''] },
  notCategories: { value: 'JAZZ', filter: ['JAZZ'] },
  searchTerm: { value: 'kveld & <3', filter: 'kveld & <3' },
  tag: { value: 'Revy', filter: 'Revy' },
  superEvent: { value: 'now', filter: 'now' },
  mode: { value: 'online', filter: 'online' },
  onlyFeatured: { value: 'true', filter: true },
  onlyFeaturedSpecialEvent: { value: 'true', filter: true },
  free: { value: 'true', filter: true },
  cancelledNotIncluded: { value: 'true', filter: true },
  soldOutNotIncluded: { value: 'yes', filter: false },
  period: { value: 'WEEK', filter: 'WEEK' },
  fromDate: { value: '2026-01-02T20:00:00+01:00', filter: '2026-01-02T20:00:00+01:00' },
  fromStartDate: { value: '2026-01-02', filter: '2026-01-02' },
  untilDate: { value: '2026-01-02', filter: '2026-01-02' },
  hoursRange: { value: '18:00-20:00', filter: '18:00-20:00' },
  groupRepetitionsByDay: { value: 'true', filter: true },
  sortBy: { value: 'title', filter: 'title' },
  venues: { value: 'malvik-kulturhus', filter: ['malvik-kulturhus'] },
  venueSlug: { value: 'malvik-kulturhus', filter: 'malvik-kulturhus' },
  municipality: { value: 'malvik', filter: 'malvik' },
  municipalities: { value: 'Malvik,Trondheim', filter: ['Trondheim', 'Malvik'] },
  postalCodes: { value: '7011', filter: ['7011'] },
  near: { value: '63.43, 10.39,1', filter: { latitude: 63.43, longitude: 10.39, km: 1 } },
  area: {
    value: '63,64,10,11',
    filter: { minLatitude: 63, minLongitude: 10, maxLatitude: 64, maxLongitude: 11 },
  },
  organizers: { value: 'spelarane', filter: ['spelarane'] },
  organizerSlug: { value: 'spelarane', filter: 'spelarane' },
  accessibility: { value: 'WHEELCHAIR,HEARING_LOOP', filter: ['HEARING_LOOP', 'WHEELCHAIR'] },
  age: { value: '7', filter: 7 },
};

/** The same list from the endpoint. */
const QUERY = `query ($filter: Filter) {
  events(filter: $filter, pageSize: 9) {
    data {
      id event_slug occurrenceID title_nb title_en summary_nb summary_en norwegian eventLink occurrenceLink startDate endDate allDay mode
      accessibility
      eventCancelled eventSoldOut status previousStartDate ticketsInformation venue { name municipality } images { urlSmall alt }
      prices { price } occurrencePrices { price } repetitions(first: 20) { startDate }
    }
  }
  calendar { name siteUrl }
}`;

interface Answer {
  readonly events: { readonly data: readonly object[] };
  readonly calendar: object;
}
