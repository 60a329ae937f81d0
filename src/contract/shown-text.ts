export { shown } from '../core/text/shown-text.ts';
