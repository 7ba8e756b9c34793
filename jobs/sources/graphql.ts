import type { Importer } from '../feeds/importer.ts';
export const importMirror: Importer = async () => null;
