/** Holds the product's own agent and its suites. */
export const ownWorkspace = 'assay';
/** Where everything happens that names no workspace. */
export const defaultWorkspace = 'main';

/** The workspaces that every installation has. They keep their names, by which the program and its clients know them. */
export const firstWorkspaces: readonly string[] = [ownWorkspace, defaultWorkspace];
