export { type Role, roles } from '../core/role.ts';
