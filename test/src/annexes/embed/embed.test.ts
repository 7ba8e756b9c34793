/** I5: `<almanakk-events>` in Chromium, on a page of another site with a strict policy: the list that it shows. The calendar is at 1 January 2026. */
import { brotliCompressSync, constants } from 'node:zlib';
import { isInputObjectType } from 'graphql';
import type { Route } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { schema } from '../../../../src/serve/graphql/schema.ts';
import { assertAbove, assertBelow } from '../../../helpers/assertions.ts';
import { assertVisible, inBrowser } from '../../../helpers/browser.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { portOf } from '../../../helpers/port.ts';
import { type Context, heightOf, lineOf, shown, shownLines, start, state, stop, visit } from './host-page.ts';
import { addLooksTests } from './looks.ts';
import { addRefreshTests } from './refresh.ts';
import { addRequestTests } from './requests.ts';

const embed = inBrowser(suite<Context>('embed.js'));

embed.before(start);
embed.before.each((context) => {
  context.now = NOW;
});
embed.after(stop);

embed('I5: should show the next events, on a page that allows only the calendar', async (context) => {
  await visit(context, {}, async (page, findings) => {
    assert.equal(await shownLines(page), [
      ['Til og med søn. 1. feb.', 'Utstilling'],
      ['Tor. 1. jan. 12.00–13.30', 'Nå', '50–1 200 kr'],
      [
        'Tor. 1. jan. 19.00–20.00',
        'Avlyst kveldAvlyst',
        'Ærlige Hall, Trondheim',
        'Rullestoltilgang',
        'Teleslynge',
      ],
      ['Fre. 2. jan. 19.00, også 21.00 og 23.00', 'Utsolgt kveld <3Utsolgt', 'På nett · Gratis'],
      ['Lør. 3. jan. – søn. 4. jan.', 'Hele dager', 'Two whole days.'],
    ]);
    assert.equal(findings, [], 'lines of the console');
  });
});

embed('I5: should mark a text in the other language, for screen readers', async (context) => {
  await visit(context, {}, async (page) => {
    await shown(page);
    assert.is(await page.locator('almanakk-events .summary').getAttribute('lang'), 'en');
  });
});

embed('I5: should link a title to the page of the event', async (context) => {
  await visit(context, {}, async (page) => {
    await shown(page);
    const link = page.getByRole('link', { name: 'Utsolgt kveld <3' });
    assert.is(await link.getAttribute('href'), 'https://kalender.example/event/utsolgt-kveld-3');
  });
});

embed('I5: should have an attribute for each field of the filter', async (context) => {
  await visit(context, {}, async (page) => {
    await shown(page);
    const known = await page.evaluate<string[]>(`customElements.get('almanakk-events').observedAttributes`);
    const filter = schema.getType('Filter');
    const names = isInputObjectType(filter) ? Object.keys(filter.getFields()) : [];
    assertAbove(names.length, 10, 'fields of the filter');
    assert.equal(
      names.filter((name) => !known.includes(name.toLowerCase())),
      [],
    );
  });
});

/** `now`: seconds since 1970. */
const TIMES = [
  { when: 'before the day', now: NOW },
  { when: 'during the events', now: Date.parse('2026-12-07T17:00:00+01:00') / 1_000 },
];

for (const { when, now } of TIMES) {
  embed(
    `I5: should count midnight and the night after a day as the end of that day, ${when}`,
    async (context) => {
      context.now = now;
      await visit(context, { attributes: 'fromDate="2026-12-07"' }, async (page) => {
        assert.equal(await shownLines(page), [
          ['Man. 7. des. 10.00–00.00', 'Til midnatt'],
          ['Man. 7. des. 16.00–02.00', 'Nattåpent'],
        ]);
      });
    },
  );
}

/** The calendar's `siteUrl`. */
const SITE = 'https://kalender.example';

const JAZZ = 'categories="ART, JAZZ" heading="What is on" lang="en" limit="3"';

embed('I5: should apply a filter, a limit, a language and a heading from its attributes', async (context) => {
  await visit(context, { attributes: JAZZ }, async (page) => {
    assert.equal(await shownLines(page), [
      [
        'Thu 1 Jan 19:00–20:00',
        'Avlyst kveldCancelled',
        'Ærlige Hall, Trondheim',
        'Wheelchair access',
        'Hearing loop',
      ],
    ]);
    await assertVisible(page.getByRole('heading', { name: 'What is on', level: 2 }));
    await assertVisible(page.getByRole('region', { name: 'What is on' }));
    assert.is(await page.getByRole('link', { name: 'Avlyst kveld' }).getAttribute('lang'), 'nb');
  });
});

embed('I5: should apply attributes that change later', async (context) => {
  await visit(context, { attributes: JAZZ }, async (page) => {
    assert.is((await shown(page)).length, 1);
    await page.locator('almanakk-events').evaluate((element) => {
      element.removeAttribute('categories');
      element.setAttribute('cancelledNotIncluded', 'true');
    });
    await page.getByRole('link', { name: 'Utstilling' }).waitFor();
    assert.equal(await lineOf(page, 1), ['Utstilling', 'Now', 'Utsolgt kveld <3Sold out']);
  });
});

const HERE = {
  geolocation: { latitude: 63.434321, longitude: 10.401234 },
  permissions: ['geolocation'],
};

embed(
  'B13, I5: should send a rounded position after a click, and none after the next one',
  async (context) => {
    const near: (string | null)[] = [];
    const answer = async (route: Route) => {
      near.push(new URL(route.request().url()).searchParams.get('near'));
      await route.continue();
    };
    await visit(context, { attributes: 'nearMe="2.5"', options: HERE, answer }, async (page) => {
      assert.is((await shown(page)).length, 5);
      const button = page.getByRole('button', { name: 'Nær meg (2.5 km)' });
      assert.is(await button.getAttribute('aria-pressed'), 'false');
      await button.click();
      await page.locator('almanakk-events li').nth(1).waitFor({ state: 'detached' });
      assert.equal(await lineOf(page, 2), ['Ærlige Hall, Trondheim']);
      assert.is(await button.getAttribute('aria-pressed'), 'true');
      await button.click();
      await page.locator('almanakk-events li').nth(4).waitFor();
      assert.equal(near, [null, '63.43,10.4,2.5', null]);
    });
  },
);

embed('B13, I5: should keep the list, and say so, when the reader gives no position', async (context) => {
  await visit(context, { attributes: 'nearMe' }, async (page) => {
    await shown(page);
    await page.getByRole('button').click();
    await page.getByText('Vi fikk ikke posisjonen din. Tillat posisjon i nettleseren.').waitFor();
    assert.is((await page.locator('almanakk-events li').all()).length, 5);
  });
});

embed('B13, I5: should show events near a position of its page, without a button', async (context) => {
  await visit(context, { attributes: 'near="63.43,10.39,1" limit="9"' }, async (page) => {
    assert.equal(await lineOf(page, 2), ['Ærlige Hall, Trondheim']);
    assert.is(await page.getByRole('button').count(), 0);
  });
});

/** Elements that take a name of `document`, in a page that lets them in. */
const STRANGERS = [
  ...['currentScript', 'querySelector', 'scripts'].map(
    (name) => `<img name="${name}" src="http://evil.example/embed.js">`,
  ),
  '<svg><script href="http://evil.example/embed.js"></script></svg>',
];

for (const before of STRANGERS) {
  embed(
    `I5: should send requests to no other server than its own on a page with ${before}`,
    async (context) => {
      await visit(context, { before }, async (page) => assert.is((await shown(page)).length, 5));
    },
  );
}

/** Notes of two moved events, by language: to another day, and to another time. */
const NOTES: Readonly<Record<string, readonly string[]>> = {
  nb: ['Flyttet fra fredag 4. desember', 'Flyttet fra kl. 18.00'],
  en: ['Moved from Friday 4 December', 'Moved from 18:00'],
  nn: ['Flytta frå fredag 4. desember', 'Flytta frå kl. 18.00'],
};

for (const [language, notes] of Object.entries(NOTES)) {
  embed(`E12: should say from when a date was moved, in ${language}`, async (context) => {
    const attributes = `ids="moved delayed later" lang="${language}"`;
    await visit(context, { attributes }, async (page) => {
      assert.is((await shown(page)).length, 3);
      assert.equal(await page.locator('almanakk-events .note').allInnerTexts(), notes);
    });
  });
}

embed('I5, B15: should show the events of its attribute ids, which blanks divide', async (context) => {
  await visit(context, { attributes: 'ids="now days"' }, async (page) => {
    assert.equal(await lineOf(page, 1), ['Nå', 'Hele dager']);
  });
});

embed('I5: should not link to scripts, and to its own pages in its language', async (context) => {
  const answer = async (route: Route) => {
    const response = await route.fetch();
    const list = await response.json();
    list.calendar.siteUrl = 'javascript:alert(1)';
    list.events[0].eventLink = ' javascript:alert(2)';
    list.events[1].eventLink = 'HTTPS://kalender.example/na';
    list.events[2].occurrenceLink = 'https://kalender.example/events/x.html?date=2026-11-20';
    await route.fulfill({ response, json: list });
  };
  await visit(context, { answer }, async (page) => {
    await shown(page);
    const links = await page.locator('almanakk-events section a').all();
    const targets = await Promise.all(links.map((link) => link.getAttribute('href')));
    assert.is(targets[0], null);
    assert.is(targets[1], 'HTTPS://kalender.example/na');
    assert.is(targets[2], 'https://kalender.example/events/x.html?date=2026-11-20&lang=nb');
    assert.is(targets.at(-1), null);
  });
});

/** The links of the first two events, and the lines of the console. */
async function firstLinks(context: Context, attributes: string) {
  let links: readonly (string | null)[] = [];
  let lines: readonly string[] = [];
  await visit(context, { attributes }, async (page, findings) => {
    await shown(page);
    const elements = await page.locator('almanakk-events li a').all();
    links = await Promise.all(elements.slice(0, 2).map((link) => link.getAttribute('href')));
    lines = findings;
  });
  return { links, lines };
}

embed('I5: should link to the pages of another site by its attribute link', async (context) => {
  const link = 'link="https://avisen.example/arrangement/{slug}?dato={date}"';
  const { links } = await firstLinks(context, link);
  assert.equal(links, [
    'https://avisen.example/arrangement/utstilling?dato=2025-12-01',
    'https://avisen.example/arrangement/na?dato=2026-01-01',
  ]);
});

embed('I5: should read a relative link against its page', async (context) => {
  const { links } = await firstLinks(context, 'link="/kalender/{id}"');
  assert.is(links[0], `http://127.0.0.1:${portOf(context.host)}/kalender/running`);
});

for (const wrong of ['https://avisen.example/', 'javascript:alert(`{slug}`)']) {
  embed(
    `I5: should ignore the attribute link if it is ${wrong}, and say why in the console`,
    async (context) => {
      const { links, lines } = await firstLinks(context, `link="${wrong}"`);
      assert.is(links[0], 'https://kalender.example/event/utstilling');
      assert.equal(lines, [
        `almanakk-events: link: expected a web address with {slug} or {id}, found "${wrong}"`,
      ]);
    },
  );
}

/** Places of two events, by the municipalities of the filter. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  '': ['Ærlige Hall, Trondheim', 'Malvik kulturhus'],
  'municipalities="Trondheim,Malvik"': ['Ærlige Hall, Trondheim', 'Malvik kulturhus'],
  'municipality="Trondheim"': ['Ærlige Hall'],
  'municipalities="Trondheim"': ['Ærlige Hall'],
};

for (const [attributes, places] of Object.entries(PLACES)) {
  embed(
    `I5: should name the municipality if there can be several: ${attributes || 'all'}`,
    async (context) => {
      await visit(context, { attributes: `ids="off malvik" ${attributes}` }, async (page) => {
        assert.equal(await lineOf(page, 2), places);
      });
    },
  );
}

/** The link of the calendar's name, by the attribute `home`. */
const HOMES: Readonly<Record<string, string | null>> = {
  'https://avisen.example/kalender': 'https://avisen.example/kalender',
  ' ': SITE,
  'javascript:alert(1)': null,
  'https://': null,
};

for (const [home, link] of Object.entries(HOMES)) {
  embed(`I5: should link the name of the calendar by its attribute home: ${home}`, async (context) => {
    await visit(context, { attributes: `home="${home}"` }, async (page, findings) => {
      await shown(page);
      const name = page.locator('almanakk-events .source a');
      assert.is(await name.getAttribute('href'), link ?? SITE);
      const reported = `almanakk-events: home: expected a web address, found "${home}"`;
      assert.equal(findings, link === null ? [reported] : []);
    });
  });
}

embed(
  'I5, B14: should log an unknown value of an attribute to the console, not show it to readers',
  async (context) => {
    await visit(context, { attributes: 'hoursRange="evening"' }, async (page, findings) => {
      await shown(page);
      assert.is(await state(page), 'Kalenderen svarer ikke akkurat nå.');
      assert.match(findings.join(' '), /hoursRange: expected HH:mm-HH:mm/);
      assert.is(await page.getByRole('button').count(), 0);
    });
  },
);

embed(
  'I5: should log an attribute that it does not have, and be left to right on any page',
  async (context) => {
    const attributes = 'Category="MUSIC" class="a" data-v-1 theme="light" dir="rtl" limit="2"';
    await visit(context, { attributes }, async (page, findings) => {
      await shown(page);
      assert.is(findings.length, 1, findings.join());
      assert.match(findings[0] ?? '', /^almanakk-events: category: expected one of ids,categories,/);
      const direction = `getComputedStyle(document.querySelector('almanakk-events').shadowRoot.querySelector('li')).direction`;
      assert.is(await page.evaluate(direction), 'ltr');
    });
  },
);

embed(
  'I5: should log that a page has the scripts of two calendars, and give it no name but its own',
  async (context) => {
    const { url, send } = context.calendar;
    const before = `<script src="${url}/other/embed.js" defer></script>`;
    await visit(context, { before }, async (page, findings) => {
      const body = (await send('/embed.js')).text;
      await page.route('**/other/embed.js', (route) =>
        route.fulfill({ body, contentType: 'text/javascript' }),
      );
      await page.reload();
      const endpoints = `${url}/other/embed.json and ${url}/embed.json`;
      assert.is(findings.at(-1), `almanakk-events: expected one calendar, found ${endpoints}`);
      const names = [...body.matchAll(/^(?:async )?(?:function|const|class) (\w+)/gm)].map(
        ([, name]) => name,
      );
      assertAbove(names.length, 20, 'names');
      const types = await page.evaluate(`[${names.map((name) => `typeof ${name}`).join(', ')}]`);
      assert.equal([...new Set(types as string[])], ['undefined']);
    });
  },
);

embed('I5: should say that there are no events', async (context) => {
  await visit(context, { attributes: 'tag="nothing"' }, async (page) => {
    assert.equal(await shown(page), []);
    assert.is(await state(page), 'Ingen kommende arrangementer.');
    assertBelow(await heightOf(page), 100, 'pixels');
  });
});

embed('I5: should be smaller than 10 KiB by brotli', async ({ calendar }) => {
  const { bytes } = await calendar.send('/embed.js');
  const params = { [constants.BROTLI_PARAM_QUALITY]: 4 };
  assertBelow(brotliCompressSync(bytes, { params }).length, 10 * 1_024, 'bytes');
});

embed('I5: should be a script that pages of any origin may load', async ({ calendar }) => {
  const { headers } = await calendar.send('/embed.js');
  assert.is(headers['content-type'], 'text/javascript; charset=utf-8');
  assert.is(headers['access-control-allow-origin'], '*');
  assert.is(headers['cross-origin-resource-policy'], 'cross-origin');
});

embed('I5: should answer 304 to a browser that has the script', async ({ calendar }) => {
  const { headers } = await calendar.send('/embed.js');
  const again = await calendar.send('/embed.js', { headers: { 'if-none-match': headers.etag ?? '' } });
  assert.is(again.status, 304);
});

addRequestTests(embed);
addRefreshTests(embed);
addLooksTests(embed);

embed.run();
