/* This says which build it is. It is no part of any library, so that a commit alone links one
 * program anew. */
#pragma once

/* The version, behind it "+" and the commit where that is known: "0.5.0+0123456789ab"; "-dirty"
 * behind it tells of changes that were not committed. */
extern const char *const herald_build;
