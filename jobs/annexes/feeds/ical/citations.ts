/** Properties as findings name them. */
import { excerpt } from '../../../findings.ts';
import { type Component, first } from './content.ts';
import type { Property } from './properties.ts';

/** G2: findings name what people see in their calendars, and the property in brackets. */
export function fieldOf(property: string): string {
  const [name = ''] = property.split(';');
  const called = CALLED[name];
  return called === undefined ? property : `${called} (${property})`;
}

const CALLED: Readonly<Record<string, string>> = {
  SUMMARY: 'title',
  DESCRIPTION: 'description',
  DTSTART: 'start',
  DTEND: 'end',
  DURATION: 'length',
  LOCATION: 'place',
  GEO: 'position',
  RRULE: 'repeat',
  EXRULE: 'repeat that is excepted',
  RDATE: 'further dates',
  EXDATE: 'dates taken out',
  'RECURRENCE-ID': 'date of the series',
  UID: 'id',
  CLASS: 'privacy',
  CREATED: 'created',
  'LAST-MODIFIED': 'last change',
  IMAGE: 'image',
  ATTACH: 'attachment',
  'X-COST': 'price',
  'X-WR-TIMEZONE': 'time zone',
};

interface Citation {
  readonly action: 'changed value';
  readonly line: number;
  readonly field: string;
}

/** A finding about a property; its value is cut, because it may be megabytes long. */
export function cite({ name, line, value }: Property): Citation & { readonly found: string } {
  return { action: 'changed value', line, field: name, found: excerpt(value.slice(0, 200)) };
}

/** A finding about a property that a component may lack: then the component is its place. */
export function citeIn(component: Component, name: string): Citation {
  const line = first(component, name)?.line ?? component.line;
  return { action: 'changed value', line, field: name };
}
