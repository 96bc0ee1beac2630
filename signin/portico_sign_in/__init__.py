"""Sign-in with e-mail and password, for development: the part of the protocol of Supabase Auth that this needs."""
