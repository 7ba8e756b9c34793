/** The sites of the trial, as their administrators and editors use them: each function opens a screen of WordPress, and sends its form. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { newBrowser, wordsOf } from './browser.mjs';
import { expectStatus, root } from './checks.mjs';

export const ADMINISTRATOR = 'ansvarlig';
const PASSWORD = 'et langt passord bare for denne prøven';
/** Of Debian's package, in addresses of the list of plugins. */
export const AKISMET = 'akismet(%2F|/)akismet[.]php';
/** This plugin there. */
const PLUGIN = 'almanakk-events(%2F|/)almanakk-events[.]php';
export const SETTINGS_SCREEN = '/wp-admin/options-general.php?page=almanakk';
export const HIDE_SCREEN = '/wp-admin/admin.php?page=almanakk_hidden';

/** WordPress's wizard. */
export async function installSite(home, title) {
  const visitor = newBrowser();
  const page = await visitor.open(`${home}/wp-admin/install.php?step=1`);
  const done = await visitor.submit(page, 'weblog_title', {
    weblog_title: title,
    user_name: ADMINISTRATOR,
    admin_password: PASSWORD,
    admin_password2: PASSWORD,
    pw_weak: '1',
    admin_email: 'ansvarlig@avis.example',
  });
  expectStatus(done, 200);
}

/** Through wp-login.php. */
export async function logIn(home, name = ADMINISTRATOR) {
  const browser = newBrowser();
  const page = await browser.open(`${home}/wp-login.php`);
  const front = await browser.submit(page, 'log', { log: name, pwd: PASSWORD });
  if (!front.address.includes('/wp-admin/'))
    throw new Error(`expected ${name} to be logged in at ${home}, found ${front.address}\n${wordsOf(front)}`);
  return browser;
}

export async function addUser(browser, home, name, role) {
  const page = await browser.open(`${home}/wp-admin/user-new.php`);
  const done = await browser.submit(page, 'user_login', {
    user_login: name,
    email: `${name}@avis.example`,
    pass1: PASSWORD,
    pass2: PASSWORD,
    pw_weak: '1',
    role,
    send_user_notification: [],
  });
  if (!done.address.includes('users.php'))
    throw new Error(`expected a new user ${name}, found ${wordsOf(done)}`);
}

/** Any structure but “Plain”. */
export async function usePermalinks(browser, home) {
  const page = await browser.open(`${home}/wp-admin/options-permalink.php`);
  await browser.submit(page, 'permalink_structure', {
    selection: 'custom',
    permalink_structure: '/%postname%/',
  });
}

/** The zip file, by “Add New Plugin, Upload Plugin”, and then its link “Activate”. `screens`: the folder of a site, or of the network. */
export async function uploadPlugin(browser, screens, zip) {
  const page = await browser.open(`${screens}/plugin-install.php?tab=upload`);
  const file = new File([readFileSync(zip)], 'almanakk-events.zip', { type: 'application/zip' });
  return browser.submit(page, 'pluginzip', { pluginzip: file });
}

export async function activatePlugin(browser, uploaded) {
  const done = await browser.follow(uploaded, /action=activate&/);
  expectStatus(done, 200);
}

/** “Deactivate” in the list of plugins. */
export async function deactivatePlugin(browser, screens) {
  const page = await browser.open(`${screens}/plugins.php`);
  await browser.follow(page, new RegExp(`action=deactivate&.*${PLUGIN}`));
}

/** “Delete” in the list of plugins, and the question after it. */
export async function deletePlugin(browser, screens, plugin = PLUGIN) {
  const page = await browser.open(`${screens}/plugins.php`);
  const question = await browser.follow(page, new RegExp(`action=delete-selected&.*${plugin}`));
  await browser.submit(question, 'verify-delete');
}

/** “Tools, Network Setup”, whose lines go into wp-config.php. */
export async function makeNetwork(browser, home, configFile, write) {
  const page = await browser.open(`${home}/wp-admin/network.php`);
  const done = await browser.submit(page, 'sitename', { subdomain_install: '0' });
  const lines = /<textarea[^>]*>([^<]*MULTISITE[^<]*)<\/textarea>/.exec(done.text)?.[1];
  if (lines === undefined) throw new Error(`expected lines for wp-config.php, found ${wordsOf(done)}`);
  const decoded = lines.replaceAll('&#039;', "'").replaceAll('&quot;', '"').replaceAll('&gt;', '>');
  write(readFileSync(configFile, 'utf8').replace("/* That's all", () => `${decoded}\n/* That's all`));
}

/** A site of the network, which then gets a domain of its own. */
export async function addSite(browser, screens, title, home) {
  const page = await browser.open(`${screens}/site-new.php`);
  const values = { 'blog[domain]': 'bygd', 'blog[title]': title, 'blog[email]': 'ansvarlig@avis.example' };
  const added = await browser.submit(page, 'blog[domain]', values);
  const id = new URL(added.address).searchParams.get('id');
  const info = await browser.open(`${screens}/site-info.php?id=${id}`);
  await browser.submit(info, 'blog[url]', { 'blog[url]': home });
}

/** As the block editor does: through the REST API, with its nonce. */
export async function publishPage(browser, home, slug, content) {
  return rest(browser, home, 'pages', { title: slug, slug, content, status: 'publish' });
}

/** What the editor shows of the block. */
export async function renderBlock(browser, home, attributes) {
  const query = new URLSearchParams({ context: 'edit' });
  for (const [name, value] of Object.entries(attributes)) query.append(`attributes[${name}]`, value);
  return (await rest(browser, home, `block-renderer/almanakk/liste?${query}`)).rendered;
}

/** Through the REST API. */
export async function rest(browser, home, path, body) {
  const nonce = await browser.open(`${home}/wp-admin/admin-ajax.php?action=rest-nonce`);
  const headers = { 'Content-Type': 'application/json', 'X-WP-Nonce': nonce.text };
  const options = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
  const { status, text } = await browser.open(`${home}/wp-json/wp/v2/${path}`, options);
  if (status >= 300)
    throw new Error(`expected WordPress to accept ${path}, found ${status} ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

/** The screen “Settings, almanakk”. Resolves to the page after the save. */
export async function saveSettings(browser, home, { towns = [], link = '', front = '', ...others }) {
  const page = await browser.open(home + SETTINGS_SCREEN);
  const values = {
    'almanakk[kommune][]': towns,
    'almanakk[lenke]': link,
    'almanakk[hjem]': front,
    ...others,
  };
  return browser.submit(page, 'almanakk[lenke]', values);
}

/** “Empty the cache” on the same screen. */
export async function emptyCache(browser, home) {
  const page = await browser.open(home + SETTINGS_SCREEN);
  return browser.submit(page, 'action=almanakk_empty');
}

/** The screen “Hide events”, with these lines in place of the others. */
export async function saveHidden(browser, home, lines, others = {}) {
  const page = await browser.open(home + HIDE_SCREEN);
  return browser.submit(page, 'names', { names: lines.join('\r\n'), ...others });
}

/** In the Debian system of the sites. */
export function inTree(...command) {
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LANG: 'C.UTF-8' };
  return execFileSync('chroot', [root, ...command], { env, encoding: 'utf8' });
}

/** What a site's database has of the plugin: the names of options, and WP-Cron's own option if it has an event of the plugin. */
export function rowsOf(database, table = 'wp_options') {
  const names = "option_name like '%almanakk%' or (option_name = 'cron' and option_value like '%almanakk%')";
  const sql = `select option_name from ${table} where ${names} order by option_name`;
  const printed = inTree('mariadb', '--batch', '--skip-column-names', '--execute', sql, database);
  return printed.split('\n').filter((line) => line !== '');
}
