/** Addresses of web pages. */

/** Only web links: `javascript:` would run code in the page. */
export function linkTo(url) {
  return /^https?:\/\//i.test(url) ? { href: url } : {};
}

/** A full web address, read against that of the page, or null. */
export function pageAt(url) {
  try {
    return linkTo(new URL(url, location.href).href).href ?? null;
  } catch {
    return null;
  }
}

/** `https://avisen.example/arrangement/{slug}` with the event's values, or null if it does not name the event or leads to no page. */
export function ownLink(template, { id, event_slug: slug, startDate }) {
  if (!/\{(?:slug|id)\}/.test(template)) return null;
  const values = { id, slug, date: startDate.slice(0, 10) };
  const url = template.replace(/\{(slug|id|date)\}/g, (_, name) => encodeURIComponent(values[name]));
  return pageAt(url);
}

/** The calendar's page of a date keeps the language of this list. A page of another site has none of its own. */
export function pageOf({ occurrenceLink, eventLink }, language) {
  if (!occurrenceLink) return eventLink;
  return `${occurrenceLink}${occurrenceLink.includes('?') ? '&' : '?'}lang=${language}`;
}
