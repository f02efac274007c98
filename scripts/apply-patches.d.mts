export interface PatchFolders {
  patches?: string;
  modules?: string;
}

export function applyPatches(folders?: PatchFolders): string[];
