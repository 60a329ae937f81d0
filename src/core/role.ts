/** Roles in a workspace, each including the ones before it. */
export const roles = ['viewer', 'editor', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Whether a role includes another one. */
export function isAtLeast(role: Role, other: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(other);
}

/** What both of two roles allow. */
export function lesserRole(one: Role, other: Role): Role {
  return isAtLeast(one, other) ? other : one;
}
