declare module "mousetrap";
