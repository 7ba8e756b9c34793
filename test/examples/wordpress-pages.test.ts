/** The page of events in WordPress: its content, its address and status, what search engines see, and events that are gone. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eachIn, textIn } from '../helpers/html.ts';
import type { Running } from '../helpers/running.ts';
import { COPIES, WITH_COPIES } from './newspaper.ts';
import { HOME, startCalendar, startWordPress, type WordPress, withPhp } from './wordpress.ts';

interface Context {
  calendar: Running;
  wordPress: WordPress;
}

const pages = withPhp(suite<Context>('event pages in WordPress'));

pages.before(async (context) => {
  context.calendar = await startCalendar({ settings: WITH_COPIES });
  context.wordPress = await startWordPress(context.calendar.url);
});
pages.before.each(async ({ wordPress }) => {
  await wordPress.reset();
});
pages.after(async ({ calendar, wordPress }) => {
  await wordPress.close();
  await calendar.close();
});

/** Seconds. */
const SIX_MINUTES = 360;
const HALF_A_DAY = 43_200;
const DAY = 86_400;

const TITLE = "The 'revue' &";
/** As HTML. */
const HEADING = 'The &#039;revue&#039; &amp;';

pages('should show an event with its organizers and its dates', async ({ wordPress }) => {
  const { html } = await wordPress.openPage({ arrangement: 'revyen', dato: '2026-03-01' });
  const text = textIn(html);
  assert.match(text, /^Søndag 1\. mars kl\. 19\.00 Flyttet fra lørdag 28\. februar På nett/);
  assert.match(text, 'Songs & sketches. Arrangør: ');
  assert.match(text, 'Tirsdag 3. mars kl. 19.00 Utsatt På nett 100–1 250 kr Onsdag');
});

pages('should show the date of the link first, and then the others', async ({ wordPress }) => {
  const { html } = await wordPress.openPage({ arrangement: 'fem-seks', dato: '2026-01-02' });
  const [date = ''] = eachIn(html, /<p class="almanakk-date">(.*?)<\/p>/g);
  assert.match(textIn(date), /^Fredag 2. januar kl. 19.00–21.00 ?Salen/);
  assert.match(html, '<ul class="almanakk-dates"><li><time datetime="2026-01-02T22:00:00+01:00">');
});

pages('should show the next date, and say so, if that of the link is over', async ({ wordPress }) => {
  const { html } = await wordPress.openPage({ arrangement: 'revyen', dato: '2026-04-02' });
  assert.match(
    textIn(html),
    /^Datoen i lenken er passert eller fjernet\. Her er neste dato\. Søndag 1\. mars/,
  );
});

pages('should offer tickets for a date that takes place', async ({ wordPress }) => {
  const revue = await wordPress.openPage({ arrangement: 'revyen' });
  assert.match(textIn(revue.html), 'Flyttet fra lørdag 28. februar På nett 100–1 250 kr Billetter');
  const walk = await wordPress.openPage({ arrangement: 'walk' });
  assert.match(walk.html, '<strong class="almanakk-state">Avlyst</strong>');
  assert.not.match(walk.html, 'almanakk-tickets');
});

pages('should show copies of pictures, and none of the organizer', async ({ wordPress }) => {
  const { html, head } = await wordPress.openPage({ arrangement: 'revyen' });
  const [sources = ''] = eachIn(html, /<img (src=.*?) alt=/g);
  assert.match(sources, COPIES);
  assert.not.match(html, 'src="https://bilde.example/');
  assert.match(head, /<meta property="og:image" content="\S+\/pictures\/1280\/\S+">/);
});

pages('should let browsers choose copies for a list, by the width if it is known', async ({ wordPress }) => {
  const { html } = await wordPress.showList(['bilder']);
  const sizes = eachIn(html, /sizes="(\w*).*?loading="lazy"/g);
  assert.equal(sizes, ['', 'auto'], 'a picture of unknown size, and one of a known size');
});

pages('should show no picture of an event if ALMANAKK_EVENT_PICTURES says so', async ({ calendar }) => {
  const wordPress = await startWordPress(calendar.url, { EVENT_PICTURES: 'false' });
  const { html } = await wordPress.openPage({ arrangement: 'revyen' });
  await wordPress.close();
  assert.match(textIn(html), 'Songs & sketches.');
  assert.not.match(html, '<img');
});

pages('should have the title, the heading and the canonical address of its event', async ({ wordPress }) => {
  const revue = await wordPress.openPage({ arrangement: 'revyen' });
  assert.is(revue.status, 200);
  assert.is(revue.title, TITLE);
  assert.is(revue.heading, HEADING);
  assert.match(revue.canonical, /revyen/);
});

pages('should describe its event for search engines and for previews', async ({ wordPress }) => {
  const { head } = await wordPress.openPage({ arrangement: 'revyen' });
  assert.match(head, `<meta property="og:title" content="${HEADING}">`);
  assert.match(head, '<meta name="description" property="og:description" content="Songs &amp; sketches.">');
  const [jsonLd = ''] = eachIn(head, /<script type="application\/ld\+json">(.*?)<\/script>/gs);
  assert.is(JSON.parse(jsonLd)['@graph'][0].name, TITLE);
});

pages('should replace what SEO plugins write about the page of an event', async ({ wordPress }) => {
  const { canonical, seoPlugins } = await wordPress.openPage({ arrangement: 'revyen' });
  assert.equal(seoPlugins, {
    canonical,
    title: `${TITLE} – Avisen`,
    presenters: ['Title_Presenter', 'Site_Name_Presenter'],
    description: '',
    jsonLd: [],
    removedPreviews: 3,
  });
});

pages('should leave to SEO plugins the page without an event', async ({ wordPress }) => {
  const { seoPlugins } = await wordPress.openPage({ arrangement: 'finnes-ikke' });
  const { presenters, ...others } = seoPlugins;
  assert.is(presenters.length, 5);
  assert.equal(others, {
    canonical: '',
    title: 'Arrangement - Avisen',
    description: 'of the page',
    jsonLd: ['of the page'],
    removedPreviews: 0,
  });
});

pages('should bear with plugins that filter the title and the address of no post', async ({ wordPress }) => {
  const { withoutPost } = await wordPress.openPage({ arrangement: 'revyen' });
  assert.equal(withoutPost, [null, null]);
});

pages('should stay a page if the site has a post type of this name', async ({ wordPress }) => {
  assert.equal(await wordPress.readAddressOfPage(), { pagename: 'kalender' });
});

for (const arrangement of ['finnes-ikke', ''])
  pages(
    `should answer 404 for an event that the calendar does not have: "${arrangement}"`,
    async ({ wordPress }) => {
      const { status, canonical, head, html } = await wordPress.openPage({ arrangement });
      assert.equal({ status, canonical, head }, { status: 404, canonical: '', head: '' });
      assert.match(html, 'Vi fant ikke arrangementet.');
    },
  );

pages('should have an address below the page', async ({ wordPress }) => {
  await wordPress.usePermalinks();
  const { status, canonical } = await wordPress.openPage({ slug: 'fem-seks', dato: '2026-01-02' });
  assert.equal({ status, canonical }, { status: 200, canonical: `${HOME}/arrangement/fem-seks` });
});

pages('should lead to its address from older ones', async ({ wordPress }) => {
  await wordPress.usePermalinks();
  const withSlash = await wordPress.openPage({ slug: 'fem-seks/', dato: '2026-01-02' });
  assert.is(withSlash.redirect, `301 ${HOME}/arrangement/fem-seks?dato=2026-01-02`);
  const asParameter = await wordPress.openPage({ arrangement: 'fem-seks', dato: '' });
  assert.is(asParameter.redirect, `301 ${HOME}/arrangement/fem-seks?dato=`);
});

pages('should leave the addresses of WordPress itself alone', async ({ wordPress }) => {
  await wordPress.usePermalinks();
  const { status, html } = await wordPress.openPage({ slug: 'feed' });
  assert.is(status, 200);
  assert.match(html, 'Velg et arrangement i kalenderen.');
});

pages('should show an older page while the calendar is down, and ask it seldom', async ({ wordPress }) => {
  await wordPress.openPage({ arrangement: 'revyen' });
  await wordPress.stopCalendar();
  await wordPress.wait(SIX_MINUTES);
  const older = await wordPress.openPage({ arrangement: 'revyen' });
  assert.is(older.status, 200);
  assert.is(older.title, TITLE);
  assert.is(older.requests, 1);
  const unknown = await wordPress.openPage({ arrangement: 'ny' });
  assert.is(unknown.status, 503);
  assert.is(unknown.requests, 0);
});

const NO_EVENT = '{"data":{"eventBySlug":null}}';

pages('should answer 410 for an event that was removed, without its title', async ({ wordPress }) => {
  await wordPress.openPage({ arrangement: 'revyen' });
  await wordPress.answerAs({ status: 410, body: NO_EVENT });
  await wordPress.wait(SIX_MINUTES);
  const { status, title, html } = await wordPress.openPage({ arrangement: 'revyen' });
  assert.equal({ status, title }, { status: 410, title: 'Arrangement' });
  assert.match(textIn(html), /^Arrangementet er over eller fjernet\. ?Hele/);
});

pages('should not take an event for removed because of an error', async ({ wordPress }) => {
  await wordPress.openPage({ arrangement: 'revyen' });
  const body = NO_EVENT.replace('}}', '},"errors":[{"message":"timeout"}]}');
  await wordPress.answerAs({ status: 404, body });
  await wordPress.wait(SIX_MINUTES);
  const { status, title } = await wordPress.openPage({ arrangement: 'revyen' });
  assert.equal({ status, title }, { status: 200, title: TITLE });
});

pages('should answer 410 for an event that is over, with its title', async ({ wordPress }) => {
  await wordPress.wait(DAY);
  const onItsDay = await wordPress.openPage({ arrangement: 'fem-seks' });
  assert.is(onItsDay.status, 200);
  await wordPress.wait(HALF_A_DAY);
  await wordPress.answerAs({ status: 410, body: NO_EVENT });
  for (const requests of [2, 0]) {
    const over = await wordPress.openPage({ arrangement: 'fem-seks' });
    assert.is(over.status, 410);
    assert.is(over.head, '');
    assert.match(textIn(over.html), /^Fem < "seks" ?Arrangementet er over\. ?Hele/);
    assert.is(over.requests, requests, 'it asks for the event once');
  }
});

pages('should keep few names of events that the calendar does not have', async ({ wordPress }) => {
  await wordPress.answerAs({ status: 410, body: NO_EVENT });
  // The first one makes the row for all of them.
  await wordPress.crawl(1);
  assert.equal(await wordPress.crawl(150), { requests: 298, newTransients: 0, absences: 100 });
});

pages.run();
