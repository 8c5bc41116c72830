/** The version of the files. No other one is read. */
export const formatVersion = 5;
