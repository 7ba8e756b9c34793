/** The names by which the municipality of a venue is shown and found. */
import type { Venue } from './model.ts';
import { fold } from './text.ts';

/** A number without a name stands as a name that the register does not know; null without both. */
export function municipalityName({
  municipality,
  municipalityNumber,
}: Pick<Venue, 'municipality' | 'municipalityNumber'>): string | null {
  return municipality ?? municipalityNumber;
}

/** B6: folded. The register writes a name in two languages as `RØROS - ROSSE`: each part is a name. */
export function foldedNames(municipality: string): readonly string[] {
  return [municipality, ...municipality.split(' - ')].map(fold);
}
