/* Whom the simulators trust where they call over HTTPS. */
#pragma once

/* Trusts the certificates (PEM) in the file that SSL_CERT_FILE names, as the programs of OpenSSL
 * and curl do; by default the system's. `curl` is a CURL. */
void trust(void *curl);
