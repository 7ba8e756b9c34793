/** Hidden events in WordPress: the screen of the editors, several editors at once, the list of a group, and caches that are told of changes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NOW } from '../helpers/calendar.ts';
import { eachIn, plainText, textIn } from '../helpers/html.ts';
import type { Running } from '../helpers/running.ts';
import { HIDDEN_MARK } from './newspaper.ts';
import { HOME, startCalendar, startWordPress, titlesIn, type WordPress, withPhp } from './wordpress.ts';

interface Context {
  calendar: Running;
  wordPress: WordPress;
  /** A site that reads the list of a group. */
  reader: WordPress;
  /** A site that serves its list to others. */
  server: WordPress;
}

const hiding = withPhp(suite<Context>('hidden events in WordPress'));

hiding.before(async (context) => {
  const calendar = await startCalendar();
  context.calendar = calendar;
  context.wordPress = await startWordPress(calendar.url);
  context.reader = await startWordPress(calendar.url, { HIDDEN_URL: GROUP_URL });
  context.server = await startWordPress(calendar.url, { SERVE_HIDDEN: SECRET });
});
hiding.before.each(async ({ wordPress, reader, server }) => {
  for (const site of [wordPress, reader, server]) await site.reset();
});
hiding.after(async ({ calendar, wordPress, reader, server }) => {
  for (const site of [wordPress, reader, server]) await site.close();
  await calendar.close();
});

/** Who knows one of these can read what was taken down. */
const SECRET = 'ord-som-ingen-kan-gjette';
const GROUP_URL = 'https://konsern.example/skjul-7f3a9c0e41d2.txt';

/** Seconds. */
const SIX_MINUTES = 360;

/** The cells of the rows of the table on the screen. */
const rowsIn = (html: string) =>
  eachIn(html, /<tr><th scope="row"><code>(.*?)<\/tr>/g).map((row) => {
    const [line, hides, change = ''] = row
      .split(/<\/code><\/th><td>|<\/td><td>|<\/td>$/)
      .map((cell) => plainText(cell));
    return { line, hides, change };
  });

const linesIn = (html: string) => rowsIn(html).map(({ line }) => line);

hiding('should be for editors, who see the lines and who wrote them', async ({ wordPress }) => {
  const { html, capability } = await wordPress.hide(
    `${HOME}/arrangement/walk (sak 12, marked i Ås)\r\nchoir`,
  );
  assert.is(capability, 'edit_others_pages');
  assert.match(html, `>${HOME}/arrangement/walk (sak 12, marked i Ås)\nchoir</textarea>`);
  assert.match(html, /^checked almanakk_hidden.*nonce-almanakk_hidden/s);
  assert.match(
    html,
    /<p>Listen ble sist endret av Kari &lt;vakt&gt;, torsdag 1\. januar kl\. \d\d\.\d\d\.<\/p>/,
  );
  for (const { change } of rowsIn(html))
    assert.match(change, /^Kari <vakt>, torsdag 1\. januar kl\. \d\d\.\d\d$/);
});

hiding('should show what lines would hide, and save nothing', async ({ wordPress }) => {
  await wordPress.hide('choir');
  const { html, changes } = await wordPress.check('walk (sak 1)\nx');
  assert.equal(changes, []);
  assert.match(textIn(html), 'Listen er ikke lagret.');
  assert.match(html, '>walk (sak 1)\nx</textarea>');
  assert.match(html, 'name="read" value="choir"');
  const [walk, unknown, ...others] = rowsIn(html);
  assert.match(walk?.hides ?? '', /^Walk, lørdag 3\. januar/);
  assert.match(unknown?.hides ?? '', 'Kalenderen har ikke noe arrangement med «x».');
  assert.equal(others, []);
  assert.equal(linesIn((await wordPress.hide('choir')).html), ['choir'], 'the saved list');
});

hiding('should export the lines of an editor, and erase only that name', async ({ wordPress }) => {
  await wordPress.hide('choir');
  await wordPress.hide('choir\nwalk', { by: 'Per' });
  const { data, policy } = await wordPress.exportOf('kari@avis.example');
  assert.match(policy, /^<p>Nettstedet henter arrangementene selv.* fra kalenderen \(127\.0\.0\.1\)/);
  const time = /torsdag 1\. januar kl\. \d\d\.\d\d$/;
  const values = data.map((item) => item.data.map(({ value }) => value.replace(time, '')));
  assert.equal(values, [['choir', 'Kari <vakt>, ']]);
  const erased = await wordPress.eraseNameOf('kari@avis.example');
  assert.equal([erased.items_removed, erased.items_retained], [true, false]);
  assert.equal((await wordPress.exportOf('kari@avis.example')).data, []);
  assert.is((await wordPress.eraseNameOf('per@avis.example')).items_removed, false, 'an unknown user');
  const { html } = await wordPress.hide('choir\nwalk', { by: 'Per' });
  const names = rowsIn(html).map(({ line, change }) => [line, change.replace(time, '')]);
  assert.equal(names, [
    ['choir', ''],
    ['walk', 'Per, '],
  ]);
});

const KARI = 'kari@avis.example';
const NAMESAKE = 'kari2@avis.example';
const NAMED_KARI = { ID: 1, display_name: 'Kari <vakt>' };
/** Two users of one name. */
const NAMESAKES = { [KARI]: NAMED_KARI, [NAMESAKE]: { ...NAMED_KARI, ID: 2 } };

const exportedLines = async (site: WordPress, email: string) =>
  (await site.exportOf(email)).data.map((item) => item.data[0]?.value);

/** The names beside the lines. */
const editorsOn = async (site: WordPress, lines: string) =>
  rowsIn((await site.hide(lines, { by: 'Per' })).html).map(({ change }) =>
    change.replace(/,? ?torsdag.*/, ''),
  );

hiding('should tell two editors of one name apart, also after a new name', async ({ wordPress }) => {
  await wordPress.setUsers(NAMESAKES);
  await wordPress.hide('choir');
  await wordPress.hide('choir\nwalk', { by: NAMESAKE });
  await wordPress.setUsers({ ...NAMESAKES, [KARI]: { ID: 1, display_name: 'Kari Ny' } });
  assert.equal(await exportedLines(wordPress, KARI), ['choir']);
  const { items_removed, items_retained } = await wordPress.eraseNameOf(KARI);
  assert.equal([items_removed, items_retained], [true, false]);
  assert.equal(await exportedLines(wordPress, NAMESAKE), ['walk']);
  assert.equal(await editorsOn(wordPress, 'choir\nwalk'), ['', 'Kari <vakt>']);
});

hiding('should find older lines by the name if only one user has it', async ({ wordPress }) => {
  await wordPress.hide('choir');
  await wordPress.removeIds();
  await wordPress.setUsers(NAMESAKES);
  assert.equal(await exportedLines(wordPress, KARI), []);
  const unclear = await wordPress.eraseNameOf(KARI);
  assert.equal([unclear.items_removed, unclear.items_retained], [false, true]);
  assert.match(unclear.messages.join(), 'Flere brukere har navnet');
  await wordPress.setUsers({ [KARI]: NAMED_KARI, [NAMESAKE]: { ID: 2, display_name: 'KARI <vakt>' } });
  assert.equal(await exportedLines(wordPress, KARI), ['choir']);
  const erased = await wordPress.eraseNameOf(KARI);
  assert.equal([erased.items_removed, erased.items_retained], [true, false]);
  assert.equal(await editorsOn(wordPress, 'choir'), ['']);
});

const NO_NAME = { by: '', user: null, at: NOW };
/** The list after the only editor was deleted. */
const WITHOUT_NAMES = { names: ['choir'], added: { choir: NO_NAME }, ...NO_NAME };
const withoutTimes = (lists: readonly object[]) =>
  JSON.parse(JSON.stringify(lists), (key, value) => (key === 'at' ? NOW : value));

for (const isOlder of [false, true])
  hiding(
    `should erase the name of a deleted user from ${isOlder ? 'older' : 'its'} lines`,
    async ({ wordPress }) => {
      for (const sites of [0, 3]) {
        await wordPress.reset();
        await wordPress.hide('choir');
        if (isOlder) await wordPress.removeIds();
        const lists = await wordPress.deleteUser(KARI, { sites });
        assert.equal(withoutTimes(lists), Array(Math.max(1, sites)).fill(WITHOUT_NAMES), `${sites} sites`);
      }
    },
  );

hiding('should erase the name of a user who is removed from a site of a network', async ({ wordPress }) => {
  await wordPress.hide('choir');
  await wordPress.removeUser(KARI);
  assert.equal(await editorsOn(wordPress, 'choir'), ['']);
});

hiding(
  'should erase the name of a deleted user at the next change, if not at once',
  async ({ wordPress }) => {
    for (const how of [{ isPluginThere: false }, { locked: 1000 }]) {
      await wordPress.reset();
      await wordPress.hide('choir');
      await wordPress.deleteUser(KARI, how);
      assert.is((await wordPress.logged()).length, 'locked' in how ? 1 : 0);
      assert.equal(await editorsOn(wordPress, 'choir\nwalk'), ['', 'Per']);
    }
  },
);

hiding('should keep who changed a list if it is saved without a change', async ({ wordPress }) => {
  const first = await wordPress.hide('choir');
  await wordPress.wait(SIX_MINUTES);
  const again = await wordPress.hide('choir', { by: 'Per' });
  assert.is(again.html, first.html);
});

hiding('should leave hidden events out of lists and sitemaps', async ({ wordPress }) => {
  await wordPress.usePermalinks();
  await wordPress.saveSettings({ kommune: ['Ås'] });
  await wordPress.hide(`${HOME}/arrangement/walk (sak 12, marked i Ås)\nchoir`);
  const ofAll = await wordPress.showList({ kommune: 'alle' });
  assert.equal(titlesIn(ofAll.html), ['Marked', 'The']);
  assert.match((await wordPress.showList()).html, 'Ingen arrangementer nå.');
  const { pages, firstPage, robots, isFirstPageStored } = await wordPress.sitemaps();
  assert.equal({ pages, firstPage, robots }, { pages: 0, firstPage: [], robots: '' });
  // A cache for whole pages would keep the addresses until long after the event was hidden.
  assert.not(isFirstPageStored);
});

hiding(
  'should show nothing of hidden events on their pages, also while the calendar is down',
  async ({ wordPress }) => {
    await wordPress.openPage({ arrangement: 'fem-seks' });
    await wordPress.stopCalendar();
    await wordPress.hide('walk\nchoir');
    // The choir is hidden by its id, which its older page has.
    for (const arrangement of ['walk', 'fem-seks']) {
      const { status, title, head, html } = await wordPress.openPage({ arrangement });
      assert.equal({ status, title, head }, { status: 410, title: 'Arrangement', head: '' });
      assert.match(textIn(html), /^Arrangementet er over eller fjernet\. ?Hele/);
    }
  },
);

hiding('should hide nothing once the list is empty', async ({ wordPress }) => {
  await wordPress.hide('choir');
  const { html } = await wordPress.hide('');
  assert.match(html, '></textarea>');
  const list = await wordPress.showList({ ids: 'choir' });
  assert.equal(titlesIn(list.html), ['Fem']);
});

hiding('should hide the events that ALMANAKK_HIDDEN names', async ({ calendar }) => {
  const wordPress = await startWordPress(calendar.url, { HIDDEN: 'x, marked' });
  const { html } = await wordPress.showList({ ids: 'fair walk' });
  await wordPress.close();
  assert.equal(titlesIn(html), ['Walk']);
});

/** Lines of the screen, with what it says that they hide. */
const LINES: Readonly<Record<string, string>> = {
  'choir (sak 12)': 'Fem < "seks", fredag 2. januar kl. 19.00–21.00 (flere datoer).',
  [`${HOME}/arrangement/revyen`]: "The 'revue' &, søndag 1. mars kl. 19.00 (flere datoer).",
  // An id that has a slash.
  'avis/walk':
    'Kalenderen har ikke noe arrangement med «avis/walk». Sjekk at hele adressen står der, med https://.',
  [`${HOME}/`]: 'Dette er ikke adressen til et arrangement. Linjen skjuler ingenting.',
  '# til mandag': '',
};

hiding(
  'should show beside each line the event that it hides, or that it hides none',
  async ({ wordPress }) => {
    const { html } = await wordPress.hide(Object.keys(LINES).join('\n'));
    const shown = rowsIn(html).map(({ line, hides }) => [line, hides]);
    assert.equal(shown, Object.entries(LINES));
  },
);

hiding(
  'should show while the calendar is down the events of which the site has shown pages',
  async ({ wordPress }) => {
    await wordPress.openPage({ arrangement: 'walk' });
    await wordPress.stopCalendar();
    const { html } = await wordPress.hide('walk\nchoir');
    assert.equal(
      rowsIn(html).map(({ hides }) => hides),
      [
        'Walk, lørdag 3. januar – mandag 5. januar.',
        'Kalenderen svarer ikke, så tittelen kan ikke vises. Linjen virker likevel.',
      ],
    );
  },
);

hiding(
  'should keep the changes of two editors who had the list open at the same time',
  async ({ wordPress }) => {
    await wordPress.hide('choir\nwalk');
    // Per opened the form when it had two other lines. He deletes both, one of which is still there, and adds one.
    const { html } = await wordPress.hide('marked', { read: 'choir\ngammel', by: 'Per' });
    assert.match(
      textIn(html),
      /Listen ble endret av Kari <vakt>, torsdag 1\. januar kl\. \S+, mens du hadde den åpen\. Begge endringene er lagret\. Lagt til i mellomtiden: walk Fjernet i mellomtiden: gammel Lagt til av deg: marked Fjernet av deg: choir \| gammel /,
    );
    const editors = rowsIn(html).map(({ line, change }) => [line, change.split(',')[0]]);
    assert.equal(editors, [
      ['walk', 'Kari <vakt>'],
      ['marked', 'Per'],
    ]);
  },
);

hiding('should keep the lines of two editors who save at the same time', async ({ wordPress }) => {
  const first = await wordPress.hideWhileOthersSave('x1', 'x2');
  assert.equal(linesIn(first.html), ['x2', 'x1'], 'the first list of the site');
  const second = await wordPress.hideWhileOthersSave('x1\nx2\nx3', 'x4');
  assert.equal(linesIn(second.html), ['x2', 'x1', 'x4', 'x3']);
});

hiding(
  'should say that others have been saving for too long, and keep what the editor wrote',
  async ({ wordPress }) => {
    const { html } = await wordPress.hide('x3', { locked: 1000 });
    assert.match(textIn(html), 'Listen ble ikke lagret, fordi andre lagrer den nå.');
    assert.match(html, '>x3</textarea>');
  },
);

hiding('should say that WordPress could not save, and keep what the editor wrote', async ({ wordPress }) => {
  await wordPress.hide('marked');
  const { html } = await wordPress.hide('walk', { fails: true });
  assert.match(textIn(html), 'Listen ble ikke lagret: ');
  assert.match(html, 'name="read" value="marked"');
  assert.match(html, '>walk</textarea>');
  const list = await wordPress.showList({ ids: 'fair walk' });
  assert.equal(titlesIn(list.html), ['Walk'], 'the list as it was');
});

const BOTH = { ids: 'choir walk' };
const GROUP_LINE = 'https://blad.example/arrangement/walk/ (Ås)';
const GROUP_LIST = `\uFEFF${HIDDEN_MARK}\r\n${GROUP_LINE}\r\n`;

/** The site has read the list of its group, and then that list changes. */
async function replaceGroupList(reader: WordPress, text: string | null): Promise<void> {
  await reader.setGroupList(GROUP_LIST);
  await reader.showList(BOTH);
  await reader.setGroupList(text);
  await reader.wait(SIX_MINUTES);
}

hiding('should hide what the list of the group names', async ({ reader }) => {
  await reader.setGroupList(GROUP_LIST);
  assert.equal(titlesIn((await reader.showList(BOTH)).html), ['Fem']);
});

/** What is at ALMANAKK_HIDDEN_URL, and is no such list. */
const UNREADABLE: Readonly<Record<string, string | null>> = {
  nothing: null,
  'another page': '<p>choir',
  'a list that is too long': `${HIDDEN_MARK}\nchoir\n${' '.repeat(70_000)}`,
  'an empty file': '',
};

for (const [what, text] of Object.entries(UNREADABLE))
  hiding(`should keep hiding what the group's list named while there is ${what}`, async ({ reader }) => {
    await replaceGroupList(reader, text);
    assert.equal(titlesIn((await reader.showList(BOTH)).html), ['Fem']);
  });

hiding('should show an event again that the list of the group no longer names', async ({ reader }) => {
  await replaceGroupList(reader, HIDDEN_MARK);
  assert.equal(titlesIn((await reader.showList(BOTH)).html), ['Fem', 'Walk']);
});

hiding('should say on the screen since when the list of the group has been the same', async ({ reader }) => {
  await reader.setGroupList(GROUP_LIST);
  await reader.showList(BOTH);
  await reader.wait(SIX_MINUTES);
  const { html } = await reader.hide('');
  assert.match(
    textIn(html),
    'nettsteder, på konsern.example, er uendret siden torsdag 1. januar kl. 12.00. Skjul',
  );
  assert.equal(
    rowsIn(html).map(({ line, change }) => [line, change]),
    [[GROUP_LINE, 'Gjelder alle nettsteder']],
  );
});

hiding('should say on the screen why the list of the group cannot be read', async ({ reader }) => {
  await replaceGroupList(reader, '');
  const { html } = await reader.hide('');
  assert.match(
    textIn(html),
    /på konsern\.example, har ikke kunnet leses siden torsdag 1\. januar kl\. \d\d\.\d\d\. Kopien fra .* first line # almanakk hidden events, found none/,
  );
  assert.equal(linesIn(html), [GROUP_LINE]);
});

const stateOf = async (site: WordPress) => JSON.parse((await site.readHidden('copy')).text);

hiding('should tell programs which list a site has', async ({ wordPress, reader, server }) => {
  await reader.setGroupList(GROUP_LIST);
  assert.equal(await stateOf(wordPress), { list: 'none', failingSeconds: 0 });
  assert.equal(await stateOf(reader), { list: 'copy', failingSeconds: 0 });
  assert.equal(await stateOf(server), { list: 'own', failingSeconds: 0 });
});

hiding('should tell programs for how long the list of the group could not be read', async ({ reader }) => {
  await replaceGroupList(reader, null);
  await reader.showList(BOTH);
  await reader.wait(SIX_MINUTES);
  const { failingSeconds } = await stateOf(reader);
  // A second of the machine's own clock may begin meanwhile.
  assert.ok([SIX_MINUTES, SIX_MINUTES + 1].includes(failingSeconds), `${failingSeconds}`);
});

const OWN_LINES =
  'https://a.example/arrangement/walk (Kari Vakt, sak 12)\nchoir\nKari ringer politiet\n# til mandag';
/** Without remarks, which may name people. */
const SERVED = `${HIDDEN_MARK}\nhttps://a.example/arrangement/walk\nchoir\n`;

hiding('should serve its list to other sites without remarks', async ({ server, reader }) => {
  await server.hide(OWN_LINES);
  const { status, text } = await server.readHidden(SECRET);
  assert.equal([status, text], [200, SERVED]);
  await reader.setGroupList(text);
  const { html } = await reader.showList({ ids: 'fair choir walk' });
  assert.equal(titlesIn(html), ['Marked']);
});

hiding('should serve its list to nobody who does not know the secret word', async ({ wordPress, server }) => {
  for (const [site, words] of [
    [wordPress, ['1', SECRET]],
    [server, ['1', '', SECRET.toUpperCase(), `${SECRET}x`]],
  ] as const) {
    await site.hide(OWN_LINES);
    for (const word of words)
      assert.equal(await site.readHidden(word), { status: 404, type: 'text/plain', text: 'Not found.\n' });
  }
});

for (const word of ['true', 'nitten-tegn-i-ordet', 'et hemmelig ord med blanke'])
  hiding(`should not serve its list at "${word}", and say on the screen what to do`, async ({ calendar }) => {
    const site = await startWordPress(calendar.url, { SERVE_HIDDEN: word });
    const { html } = await site.hide(OWN_LINES);
    const answers = await Promise.all([word, '1'].map((given) => site.readHidden(given)));
    const state = await stateOf(site);
    await site.close();
    assert.match(textIn(html), 'må være et hemmelig ord på minst 20 tegn');
    assert.equal(
      answers.map(({ status }) => status),
      [404, 404],
    );
    assert.is(state.list, 'none');
  });

hiding(
  'should say on the screen where others read the list, and which lines they do not get',
  async ({ server }) => {
    const { html } = await server.hide(OWN_LINES);
    assert.match(textIn(html), `leser denne listen på ${HOME}/?almanakk_hidden=…,`);
    assert.not.match(html, SECRET);
    const notServed = rowsIn(html).filter(({ hides }) => hides?.includes('får ikke denne linjen'));
    assert.equal(
      notServed.map(({ line }) => line),
      ['Kari ringer politiet'],
    );
  },
);

hiding('should refuse a list that is longer than other sites read', async ({ server }) => {
  await server.hide(OWN_LINES);
  // With it and the end of its line, the list has one byte too many.
  const longWord = 'x'.repeat(65_536 - SERVED.length);
  const { html } = await server.hide(`${OWN_LINES}\n${longWord}`);
  assert.match(textIn(html), 'som leser høyst 65536 byte');
  assert.match(html, `${longWord}</textarea>`, 'what the editor wrote');
  assert.is((await server.readHidden(SECRET)).text, SERVED);
});

const CHANGED = 'almanakk_hidden_changed';

hiding('should tell caches what is hidden, and what is shown again', async ({ reader }) => {
  await reader.setGroupList(GROUP_LIST);
  const hidden = await reader.showList(BOTH);
  assert.equal(hidden.changes, [[CHANGED, [GROUP_LINE, 'walk'], []]]);
  await reader.setGroupList(HIDDEN_MARK);
  await reader.wait(SIX_MINUTES);
  const shown = await reader.showList(BOTH);
  assert.equal(shown.changes, [[CHANGED, [], [GROUP_LINE, 'walk']]]);
});

hiding('should tell caches of a line that two lists have only once', async ({ reader }) => {
  await reader.setGroupList(`${HIDDEN_MARK}\nchoir`);
  await reader.showList(BOTH);
  const { changes } = await reader.hide('fair (Kari)\nchoir');
  assert.equal(changes, [[CHANGED, ['fair (Kari)', 'fair'], []]]);
});

hiding('should read the list of the group each minute, without a visitor', async ({ reader }) => {
  await reader.setGroupList(HIDDEN_MARK);
  const first = await reader.cron();
  assert.is(first.interval, 60);
  assert.equal(first.changes, []);
  await reader.setGroupList(GROUP_LIST);
  const noticed = await reader.cron();
  assert.equal(noticed.changes, [[CHANGED, [GROUP_LINE, 'walk'], []]], 'within the same minute');
  assert.equal((await reader.cron()).changes, [], 'it is told once');
});

hiding('should need no WP-Cron on a site that reads no list', async ({ wordPress }) => {
  await wordPress.hide('choir');
  assert.is((await wordPress.cron()).interval, null);
});

hiding('should save although a cache fails, and say so', async ({ wordPress }) => {
  const { html } = await wordPress.hide('walk\nchoir', { throws: true });
  assert.match(textIn(html), 'Listen er lagret. Et hurtiglager for hele sider ble ikke tømt.');
  assert.equal(linesIn(html), ['walk', 'choir']);
});

hiding('should tell a cache that failed again, at ever longer intervals', async ({ wordPress }) => {
  await wordPress.hide('fair', { throws: true });
  const { attempted } = await wordPress.cron({ minutes: 190, throws: true });
  assert.equal(attempted, [1, 3, 7, 15, 31, 63, 123, 183], 'after 1, 2, 4 … at most 60 minutes');
  const saved = await wordPress.hide('fair', { throws: true });
  assert.is(saved.changes.length, 1, 'an editor who saves again does not have to wait');
});

hiding('should tell a cache that failed all that has changed, until it succeeds', async ({ wordPress }) => {
  await wordPress.hide('fair', { throws: true });
  await wordPress.hide('walk\nchoir', { throws: true });
  const succeeded = await wordPress.cron({ minutes: 1 });
  assert.equal(succeeded.changes, [[CHANGED, ['walk', 'choir'], []]]);
  assert.equal(succeeded.attempted, [1], 'a new change begins with a delay of one minute again');
  const after = await wordPress.cron();
  assert.is(after.interval, null);
  assert.equal(after.changes, []);
});

/** The calendar's answer to each query after a build has removed the fair, or after another one has brought it back. */
function buildThat(change: 'removes' | 'brings back') {
  const fair = change === 'removes' ? [] : [{ id: 'fair', event_slug: 'marked' }];
  const data = {
    calendar: { snapshot: { id: change } },
    changes: {
      added: fair.map(({ id }) => id),
      removed: change === 'removes' ? ['fair', 'of-another-town'] : [],
    },
    events: { hasMore: false, pageInfo: { totalPages: 1 }, data: fair },
  };
  return { status: 410, body: JSON.stringify({ data }) };
}

const FAIR = ['marked', 'fair'];

hiding('should tell caches of an event that the calendar has removed, twice', async ({ wordPress }) => {
  await wordPress.addCache();
  const first = await wordPress.cron();
  assert.is(first.interval, 60);
  assert.equal(first.changes, []);
  await wordPress.showList({ ids: 'fair' });
  await wordPress.answerAs(buildThat('removes'));
  assert.equal((await wordPress.cron()).changes, [[CHANGED, FAIR, []]]);
  const list = await wordPress.showList({ ids: 'fair' });
  assert.is(list.requests, 0, 'a list of less than a minute ago');
  assert.equal(titlesIn(list.html), []);
  const later = await wordPress.cron({ minutes: 12 });
  assert.equal(later.attempted, [10]);
  assert.equal(later.changes, [[CHANGED, [], FAIR]]);
});

hiding('should tell caches at once that a removed event is back', async ({ wordPress }) => {
  await wordPress.addCache();
  await wordPress.cron();
  await wordPress.answerAs(buildThat('removes'));
  await wordPress.cron({ throws: true });
  await wordPress.stopCalendar();
  assert.equal((await wordPress.cron({ minutes: 1 })).changes, [[CHANGED, FAIR, []]], 'what has failed');
  await wordPress.answerAs(buildThat('brings back'));
  assert.equal((await wordPress.cron()).changes, [[CHANGED, [], FAIR]]);
});

const PURGE_URL = 'http://127.0.0.1:8081';
const CLOUDFLARE = 'POST https://api.cloudflare.com/client/v4/zones/zone/purge_cache Bearer token';

hiding('should delete the pages of an event from the caches that it knows', async ({ calendar }) => {
  const site = await startWordPress(calendar.url, {
    PURGE_URL,
    CLOUDFLARE_ZONE: 'zone',
    CLOUDFLARE_TOKEN: 'token',
    LIST_PAGES: '/helg/',
  });
  await site.usePermalinks();
  await site.openPage({ slug: 'fem-seks' });
  assert.is((await site.cron()).interval, 60, 'it reads which events were removed');
  await site.hide('choir (sak 1)');
  const lists = [`${HOME}/helg/`, `${HOME}/kalender/`];
  const events = [`${HOME}/arrangement/fem-seks`, `${HOME}/arrangement/fem-seks?dato=2026-01-02`];
  const all = [...events, `${HOME}/`, ...lists];
  const plugins = [
    `rocket_clean_files ${[...events, ...lists].join(' ')}`,
    'rocket_clean_home',
    ...all.map((address) => `litespeed_purge_url ${address}`),
    ...all.map((address) => `w3tc_flush_url ${address}`),
  ];
  const nginx = all.map((address) => `PURGE ${address.replace(HOME, PURGE_URL)} avis.example`);
  const cloudflare = [
    { prefixes: ['avis.example/arrangement/fem-seks'] },
    { files: [events[1], `${HOME}/`, ...lists] },
  ].map((body) => `${CLOUDFLARE} ${JSON.stringify(body).replaceAll('/', '\\/')}`);
  const purged = [...plugins, ...nginx, ...cloudflare];
  assert.equal(await site.purged(), purged);
  const shown = await site.hide('', { w3tc: true, nginx: true, cloudflare: 403, throws: true });
  assert.match(textIn(shown.html), 'Et hurtiglager for hele sider ble ikke tømt.');
  assert.equal(await site.purged(), [...plugins, nginx[0], ...cloudflare], 'one request without an answer');
  const [refused, slow] = ['expected HTTP 200, found HTTP 403', 'expected HTTP 200 or 204 or 404 or 412'];
  assert.equal(await site.logged(), [
    [
      `almanakk: almanakk_hidden_changed: w3tc_flush_url: the disk is full, for ${all.join(' ')}`,
      `ALMANAKK_PURGE_URL: ${slow}, found no answer, for ${all.join(' ')}`,
      `Cloudflare: ${refused}, for avis.example/arrangement/fem-seks ${[events[1], `${HOME}/`, ...lists].join(' ')}`,
      'a cache failed',
      'the next attempt is after 60 seconds',
    ].join('; '),
  ]);
  assert.equal((await site.cron({ minutes: 1 })).attempted, [1]);
  assert.equal(await site.purged(), purged);
  await site.close();
});

hiding.run();
