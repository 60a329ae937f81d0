export { shown } from '../core/shown-text.ts';
