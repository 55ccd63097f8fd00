"""A certificate authority and one server certificate, for this run alone."""

import subprocess

from support.run import clean_environment, need

NAMES = "DNS:localhost,DNS:api.carrier.example,IP:127.0.0.1,IP:::1"
NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]


class Certs:
    def __init__(self, directory):
        self.ca, self.cert, self.key = (directory / n for n in ("ca.pem", "cert.pem", "key.pem"))
        if not self.cert.exists():
            self.make(directory)
        # How each family of clients is told whom to trust.
        self.env = {name: str(self.ca) for name in (
            "SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS",
            "GIT_SSL_CAINFO")}
        wgetrc = directory / "wgetrc"
        wgetrc.write_text(f"ca_certificate = {self.ca}\n")
        self.env["WGETRC"] = str(wgetrc)

    def make(self, directory):
        def openssl(*args):
            subprocess.run([need("openssl"), *args], check=True, cwd=directory,
                           capture_output=True, env=clean_environment(directory))
        openssl("req", "-x509", *NEW_KEY, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
                "-subj", "/CN=cutout tests", "-addext", "keyUsage=critical,keyCertSign,cRLSign")
        openssl("req", *NEW_KEY, "-keyout", "key.pem", "-out", "request.pem",
                "-subj", "/CN=localhost")
        (directory / "extensions").write_text(
            f"subjectAltName={NAMES}\nbasicConstraints=CA:FALSE\n"
            "extendedKeyUsage=serverAuth\nauthorityKeyIdentifier=keyid\n")
        openssl("x509", "-req", "-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key",
                "-CAcreateserial", "-days", "2", "-extfile", "extensions", "-out", "cert.new")
        (directory / "cert.new").rename(self.cert)
