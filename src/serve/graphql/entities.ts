/** Object types that stand for themselves: venues, organizers and categories of the directory, images and prices of an event. */
import { ALL_IMAGE_PARTS, PRICE_PARTS } from '../../snapshot/fragments.ts';
import type { CategoryJson, LocationJson, OrganizerJson, VenueJson } from '../query/directory.ts';
import { many, one, type Shape } from './project.ts';

export const LOCATION: Shape<LocationJson> = {
  name: 'Location',
  leaves: leavesOf(['latitude', 'longitude']),
  links: {},
};

export const VENUE: Shape<VenueJson> = {
  name: 'Venue',
  leaves: leavesOf(['id', 'name', 'slug', 'address', 'postalCode', 'municipality', 'mapImageURL']),
  links: {
    location: one(
      () => LOCATION,
      ({ location }) => location,
    ),
  },
};

export const ORGANIZER: Shape<OrganizerJson> = {
  name: 'Organizer',
  leaves: leavesOf(['id', 'name', 'slug', 'website', 'email', 'telephoneNumber']),
  links: {},
};

export const SUBCATEGORY: Shape<CategoryJson> = {
  name: 'Subcategory',
  leaves: leavesOf(['id', 'name_nb', 'name_en', 'slug_nb', 'slug_en', 'visible']),
  links: {},
};

export const CATEGORY: Shape<CategoryJson> = {
  name: 'Category',
  leaves: SUBCATEGORY.leaves,
  links: {
    subcategories: many(
      () => SUBCATEGORY,
      ({ subcategories }) => subcategories,
    ),
  },
};

export const IMAGE: Shape<readonly string[]> = { name: 'Image', leaves: partsOf(ALL_IMAGE_PARTS), links: {} };

export const PRICE: Shape<readonly string[]> = { name: 'Price', leaves: partsOf(PRICE_PARTS), links: {} };

function leavesOf<Name extends string>(
  names: readonly Name[],
): Readonly<Record<string, (json: { readonly [Field in Name]: string }) => string>> {
  return Object.fromEntries(
    names.map((name) => [name, (json: { readonly [Field in Name]: string }) => json[name]]),
  );
}

/** Values that stand in a list in the order of the names. */
export function partsOf(
  names: readonly string[],
): Readonly<Record<string, (parts: readonly string[]) => string>> {
  return Object.fromEntries(
    names.map((name, place) => [name, (parts: readonly string[]) => parts[place] ?? 'null']),
  );
}
