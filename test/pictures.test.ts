/** The pictures of README.md and docs/norsk.md are up to date: the pages show the same texts in the same order. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inBrowser, openBrowser } from './helpers/browser.ts';
import { startPictured, textsInPictures, textsInView } from './readme/pictures.ts';

const pictures = inBrowser(suite('pictures of the README'));

pictures(
  'should show what the pages show: node --import tsx test/readme/pictures.ts takes them anew',
  async () => {
    const calendar = await startPictured();
    const browser = await openBrowser();
    try {
      const shown = await textsInView(browser, calendar);
      assert.ok(
        Object.values(shown).every((texts) => texts.length >= 5),
        JSON.stringify(shown),
      );
      assert.equal(shown, textsInPictures());
    } finally {
      await browser.close();
      await calendar.close();
    }
  },
);

pictures.run();
