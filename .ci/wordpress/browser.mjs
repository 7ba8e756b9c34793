/** Opens pages as a browser without scripts does: it keeps cookies, follows redirects and sends forms. */
import { DomUtils, parseDocument } from 'htmlparser2';

const { getAttributeValue, getElementsByTagName, textContent } = DomUtils;
const MOST_REDIRECTS = 10;
const isRedirect = (status) => [301, 302, 303, 307, 308].includes(status);

/** A visitor, with the cookies of each site. A page is `{ status, headers, text, address }`, after redirects. */
export function newBrowser() {
  const cookies = new Map();

  async function request(address, { method = 'GET', body, headers = {} } = {}) {
    const own = cookies.get(address.host) ?? new Map();
    const Cookie = [...own].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(address, {
      method,
      body,
      headers: { ...headers, Cookie },
      redirect: 'manual',
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      own.set(name, value);
    }
    cookies.set(address.host, own);
    return response;
  }

  /** `isFollowed`: whether to follow redirects. */
  async function open(address, { isFollowed = true, ...options } = {}) {
    let at = new URL(address);
    let response = await request(at, options);
    for (let count = 0; isFollowed && isRedirect(response.status) && count < MOST_REDIRECTS; count++) {
      await response.arrayBuffer();
      at = new URL(response.headers.get('location'), at);
      response = await request(at);
    }
    return {
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      address: at.href,
    };
  }

  /** Sends the form of a page with this field or button, or with a field of this value (`name=value`). `values` replace its own: texts, lists or files. */
  function submit(page, name, values = {}) {
    const form = formWith(page, name);
    const isUpload = getAttributeValue(form, 'enctype') === 'multipart/form-data';
    const sent = isUpload ? new FormData() : new URLSearchParams();
    const written = controlsOf(form).filter(([field]) => !(field in values));
    const given = Object.entries(values).flatMap(([field, value]) =>
      [value].flat().map((one) => [field, one]),
    );
    for (const [field, value] of [...written, ...given]) sent.append(field, value);
    const target = new URL(getAttributeValue(form, 'action') || page.address, page.address);
    if (getAttributeValue(form, 'method')?.toLowerCase() === 'post')
      return open(target, { method: 'POST', body: sent });
    target.search = sent;
    return open(target);
  }

  /** The first link of a page whose address matches. */
  const linkIn = (page, pattern) => {
    const links = getElementsByTagName('a', parseDocument(page.text));
    const found = links
      .map((link) => getAttributeValue(link, 'href') ?? '')
      .find((href) => pattern.test(href));
    if (found === undefined)
      throw new Error(`expected a link like ${pattern} on ${page.address}, found none\n${wordsOf(page)}`);
    return new URL(found, page.address).href;
  };

  return { open, submit, follow: (page, pattern) => open(linkIn(page, pattern)) };
}

function formWith(page, name) {
  const forms = getElementsByTagName('form', parseDocument(page.text));
  const [wanted, value] = name.split('=');
  const isWanted = ({ attribs }) =>
    attribs.name === wanted && (value === undefined || attribs.value === value);
  const form = forms.find((one) => elementsOf(one).some(isWanted));
  if (form === undefined)
    throw new Error(
      `expected a form with ${name} on ${page.address}, found none: ${page.status}\n${wordsOf(page)}`,
    );
  return form;
}

const elementsOf = (form) =>
  getElementsByTagName((name) => ['input', 'textarea', 'select', 'button'].includes(name), form);

/** The names and values of the fields that a browser would send without a click. */
function controlsOf(form) {
  return elementsOf(form).flatMap((element) => {
    const { name, type = 'text', value = '' } = element.attribs;
    if (name === undefined || 'disabled' in element.attribs || element.name === 'button') return [];
    if (element.name === 'textarea') return [[name, textContent(element)]];
    if (element.name === 'select') return [[name, chosenIn(element)]];
    if (['submit', 'button', 'file', 'image'].includes(type)) return [];
    if (['checkbox', 'radio'].includes(type))
      return 'checked' in element.attribs ? [[name, value || 'on']] : [];
    return [[name, value]];
  });
}

function chosenIn(select) {
  const options = getElementsByTagName('option', select);
  const chosen = options.find((option) => 'selected' in option.attribs) ?? options[0];
  return getAttributeValue(chosen, 'value') ?? '';
}

/** What people read on a page, for messages. */
export const wordsOf = ({ text }) => {
  const document = parseDocument(text.replace(/<(script|style)[\s\S]*?<\/\1>/g, ''));
  return textContent(document).replace(/\s+/g, ' ').trim().slice(0, 1_500);
};
